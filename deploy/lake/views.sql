-- Written by `npm run docs`: do not edit. Views over a lake, for DuckDB; change /srv/lake to the place of yours.
-- For ClickHouse, write deltaLakeLocal in place of delta_scan. Leave out the columns that `publish.exclude` of your config names.

CREATE VIEW "all_videos" AS SELECT * FROM delta_scan('/srv/lake/all_videos');

CREATE VIEW "video_history" AS SELECT * FROM delta_scan('/srv/lake/video_history');

CREATE VIEW "video_edits" AS SELECT * FROM delta_scan('/srv/lake/video_edits');

CREATE VIEW "videos" AS select video_key, package_key, account, package_name, video_id, changed_at, changed_day, first_seen_at, first_seen_day, created_at, created_day, duration_seconds, size_bytes, size_gib, width_pixels, height_pixels, frames_per_second, is_encoded, title, series, author, copyright, tags, description, miscellaneous, thumbnail_url, thumbnail_sheet_url, other_fields from all_videos where not is_removed;

CREATE VIEW "video_versions" AS select video_key, package_key, account, package_name, video_id, is_removed, change_seq, version_number, version_key, change, changed_at as valid_from, changed_day, first_missing_at, run_key, changed_fields, valid_to, is_current, created_at, created_day, duration_seconds, size_bytes, size_gib, width_pixels, height_pixels, frames_per_second, is_encoded, title, series, author, copyright, tags, description, miscellaneous, thumbnail_url, thumbnail_sheet_url, other_fields from video_history where false
union all
select video_key, package_key, account, package_name, video_id, is_removed, change_seq, version_number, version_key, change, changed_at as valid_from, changed_day, first_missing_at, run_key, changed_fields, null as valid_to, true as is_current, created_at, created_day, duration_seconds, size_bytes, size_gib, width_pixels, height_pixels, frames_per_second, is_encoded, title, series, author, copyright, tags, description, miscellaneous, thumbnail_url, thumbnail_sheet_url, other_fields from all_videos
union all
select video_key, package_key, account, package_name, video_id, is_removed, change_seq, version_number, version_key, change, changed_at as valid_from, changed_day, first_missing_at, run_key, changed_fields, valid_to, is_current, created_at, created_day, duration_seconds, size_bytes, size_gib, width_pixels, height_pixels, frames_per_second, is_encoded, title, series, author, copyright, tags, description, miscellaneous, thumbnail_url, thumbnail_sheet_url, other_fields from video_history;

CREATE VIEW "video_changes" AS select video_key, package_key, account, package_name, video_id, version_key, change_seq, change, changed_at, changed_day, run_key, title, field, value_before, value_after from video_edits
union all
select video_key, package_key, account, package_name, video_id, version_key, change_seq, change, changed_at, changed_day, run_key, title, null as field, null as value_before, null as value_after from all_videos where change <> 'edited'
union all
select video_key, package_key, account, package_name, video_id, version_key, change_seq, change, changed_at, changed_day, run_key, title, null as field, null as value_before, null as value_after from video_history where change <> 'edited'
union all
select video_key, package_key, account, package_name, video_id, version_key, change_seq, change, changed_at, changed_day, run_key, title, field, value_before, value_after from video_edits where false;

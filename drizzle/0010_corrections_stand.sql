-- A correction is append-only: no INSERT over one (INSERT OR REPLACE does not fire a delete trigger), no UPDATE, no
-- DELETE; and there is nothing to correct on a day that is not booked.
CREATE TRIGGER `storage_correction_insert` BEFORE INSERT ON `storage_correction`
WHEN EXISTS (SELECT 1 FROM `storage_correction` WHERE `account` = NEW.`account` AND `date` = NEW.`date` AND `accepted_at` = NEW.`accepted_at`)
  OR NOT EXISTS (SELECT 1 FROM `storage_day` WHERE `account` = NEW.`account` AND `date` = NEW.`date` AND `state` = 'booked')
BEGIN SELECT RAISE(ABORT, 'a correction is added to a booked day, and never changed'); END;
--> statement-breakpoint
CREATE TRIGGER `storage_correction_update` BEFORE UPDATE ON `storage_correction`
BEGIN SELECT RAISE(ABORT, 'a correction is added to a booked day, and never changed'); END;
--> statement-breakpoint
CREATE TRIGGER `storage_correction_delete` BEFORE DELETE ON `storage_correction`
BEGIN SELECT RAISE(ABORT, 'a correction is added to a booked day, and never changed'); END;
--> statement-breakpoint
-- A gap was asked for on those days between its first and its last request on which the ledger has a request for
-- storage. Its age would count days on which nobody asked too: a worker that was off, a clock that was ahead.
CREATE TEMP TABLE `storage_asked` AS
SELECT DISTINCT `account`, date(`at_ms` / 1000, 'unixepoch') AS `day` FROM `request` WHERE `purpose` = 'storage';
--> statement-breakpoint
UPDATE `storage_gap` SET `asked_days` = max(1, (
  SELECT count(*) FROM `temp`.`storage_asked` AS a
  WHERE a.`account` = `storage_gap`.`account` AND a.`day` BETWEEN date(`first_missed_at`) AND date(`last_asked_at`)
));
--> statement-breakpoint
DROP TABLE `temp`.`storage_asked`;
--> statement-breakpoint
-- A clock that was wrong may have left states of videos that end before they begin. Each such video's times are raised
-- to the latest one before them, in the order of its changes; nothing else of its rows changes.
CREATE TEMP TABLE `raised_version` AS
SELECT `account`, `package_id`, `id`, `change_seq`,
  max(`from_so_far`, coalesce(`to_before`, '')) AS `valid_from`, max(`from_so_far`, `to_so_far`) AS `valid_to`
FROM (
  SELECT `account`, `package_id`, `id`, `change_seq`,
    max(`valid_from`) OVER (`states` ROWS UNBOUNDED PRECEDING) AS `from_so_far`,
    max(`valid_to`) OVER (`states` ROWS UNBOUNDED PRECEDING) AS `to_so_far`,
    max(`valid_to`) OVER (`states` ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS `to_before`
  FROM `video_version`
  WINDOW `states` AS (PARTITION BY `account`, `package_id`, `id` ORDER BY `change_seq`)
);
--> statement-breakpoint
UPDATE `video_version` SET `valid_from` = r.`valid_from`, `valid_to` = r.`valid_to`
FROM `temp`.`raised_version` AS r
WHERE r.`account` = `video_version`.`account` AND r.`package_id` = `video_version`.`package_id`
  AND r.`id` = `video_version`.`id` AND r.`change_seq` = `video_version`.`change_seq`
  AND (r.`valid_from` <> `video_version`.`valid_from` OR r.`valid_to` <> `video_version`.`valid_to`);
--> statement-breakpoint
DROP TRIGGER IF EXISTS `video_version_kept`;
--> statement-breakpoint
UPDATE `video` SET
  `changed_at` = max(`changed_at`, r.`valid_to`),
  `removed_at` = CASE WHEN `removed_at` IS NOT NULL THEN max(`removed_at`, r.`valid_to`) END
FROM (SELECT `account`, `package_id`, `id`, max(`valid_to`) AS `valid_to` FROM `temp`.`raised_version` GROUP BY 1, 2, 3) AS r
WHERE r.`account` = `video`.`account` AND r.`package_id` = `video`.`package_id` AND r.`id` = `video`.`id`
  AND coalesce(`video`.`removed_at`, `video`.`changed_at`) < r.`valid_to`;
--> statement-breakpoint
DROP TABLE `temp`.`raised_version`;
--> statement-breakpoint
-- As in 0003_video_versions.
CREATE TRIGGER `video_version_kept` AFTER UPDATE ON `video`
BEGIN
INSERT INTO `video_version` (
  `account`, `package_id`, `id`, `cid`, `access_key`, `org_access_key`, `title`, `series`, `author`,
  `content`, `tag`, `copyright`, `rate`, `cdate`, `duration`, `etc`, `thumbnail_url`, `thumbnail_sheet_url`,
  `encoding_success`, `v_width`, `v_height`, `v_framerate`, `filesize`, `drm_cid`, `opt`, `preloading`,
  `extra`, `first_seen_at`, `changed_at`, `removed_at`, `change_seq`, `valid_from`, `valid_to`
) VALUES (
  OLD.`account`, OLD.`package_id`, OLD.`id`, OLD.`cid`, OLD.`access_key`, OLD.`org_access_key`, OLD.`title`,
  OLD.`series`, OLD.`author`, OLD.`content`, OLD.`tag`, OLD.`copyright`, OLD.`rate`, OLD.`cdate`,
  OLD.`duration`, OLD.`etc`, OLD.`thumbnail_url`, OLD.`thumbnail_sheet_url`, OLD.`encoding_success`,
  OLD.`v_width`, OLD.`v_height`, OLD.`v_framerate`, OLD.`filesize`, OLD.`drm_cid`, OLD.`opt`,
  OLD.`preloading`, OLD.`extra`, OLD.`first_seen_at`, OLD.`changed_at`, OLD.`removed_at`, OLD.`change_seq`,
  coalesce(OLD.`removed_at`, OLD.`changed_at`),
  CASE WHEN OLD.`removed_at` IS NULL THEN coalesce(NEW.`removed_at`, NEW.`changed_at`) ELSE NEW.`changed_at` END
);
END;

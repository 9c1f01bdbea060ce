-- A changed row leaves its former state behind, in the same transaction, whoever changes it. A removal holds from the
-- moment of its proof (removed_at), every other change from the moment it was seen (changed_at). A change that takes
-- no new change_seq fails at the second one: the key of its version is there already.
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

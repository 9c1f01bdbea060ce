-- Each state of a video has its number and the change that led to it. The trigger that writes them is made from the schema
-- (src/database/version-trigger.ts). Of earlier changes, the names of the edited fields and the run are not known.
DROP TRIGGER `video_version_kept`;--> statement-breakpoint
ALTER TABLE `video` ADD `version_number` BIGINT DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `video` ADD `change` text DEFAULT 'added' NOT NULL;--> statement-breakpoint
ALTER TABLE `video` ADD `changed_fields` text;--> statement-breakpoint
ALTER TABLE `video` ADD `title_before` text;--> statement-breakpoint
ALTER TABLE `video` ADD `run_id` BIGINT;--> statement-breakpoint
ALTER TABLE `video_version` ADD `version_number` BIGINT DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `video_version` ADD `change` text DEFAULT 'added' NOT NULL;--> statement-breakpoint
ALTER TABLE `video_version` ADD `changed_fields` text;--> statement-breakpoint
ALTER TABLE `video_version` ADD `title_before` text;--> statement-breakpoint
ALTER TABLE `video_version` ADD `run_id` BIGINT;--> statement-breakpoint
UPDATE `video_version` SET `version_number` = s.`number`, `title_before` = s.`title_before`,
  `change` = CASE WHEN `removed_at` IS NOT NULL THEN 'removed' WHEN s.`was_removed` THEN 'restored'
    WHEN s.`number` = 1 THEN 'added' ELSE 'edited' END
FROM (
  SELECT `rowid` AS r, row_number() OVER states AS `number`, lag(`removed_at`) OVER states IS NOT NULL AS `was_removed`,
    nullif(lag(`title`) OVER states, `title`) AS `title_before`
  FROM `video_version` WINDOW states AS (PARTITION BY `account`, `package_id`, `id` ORDER BY `change_seq`)
) s
WHERE s.r = `video_version`.`rowid`;--> statement-breakpoint
UPDATE `video` SET `version_number` = s.`number` + 1, `title_before` = nullif(s.`title`, `video`.`title`),
  `change` = CASE WHEN s.`was_removed` THEN 'restored' ELSE 'edited' END
FROM (
  SELECT `account`, `package_id`, `id`, count(*) AS `number`, max(`change_seq`), `removed_at` IS NOT NULL AS `was_removed`, `title`
  FROM `video_version` GROUP BY `account`, `package_id`, `id`
) s
WHERE s.`account` = `video`.`account` AND s.`package_id` = `video`.`package_id` AND s.`id` = `video`.`id`;--> statement-breakpoint
UPDATE `video` SET `change` = 'removed' WHERE `removed_at` IS NOT NULL;

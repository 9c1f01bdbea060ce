CREATE TABLE `run_failure` (
	`run_id` integer NOT NULL,
	`account` text NOT NULL,
	`package_id` BIGINT,
	`stream` text,
	`kind` text NOT NULL,
	`message` text NOT NULL,
	PRIMARY KEY(`run_id`, `account`, `package_id`, `stream`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`run_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
-- The storage that failed in earlier runs is named in their error only: `account NAME, storage …`, up to the next failure.
INSERT INTO `run_failure` (`run_id`, `account`, `stream`, `kind`, `message`)
SELECT `run_id`, `account`, 'storage', 'unknown', substr(`rest`, 1, instr(`rest` || '; account ', '; account ') - 1)
FROM (
  SELECT r.`run_id`, q.`account`,
    substr(r.`error`, instr('; ' || r.`error`, '; account ' || q.`account` || ', storage ')) AS `rest`
  FROM `run` AS r
  JOIN (SELECT DISTINCT `run_id`, `account` FROM `request` WHERE `purpose` = 'storage') AS q ON q.`run_id` = r.`run_id`
  WHERE r.`status` IN ('succeeded', 'partial', 'failed')
    AND instr('; ' || r.`error`, '; account ' || q.`account` || ', storage ') > 0
);
--> statement-breakpoint
ALTER TABLE `saving` RENAME TO `saved_requests`;--> statement-breakpoint
ALTER TABLE `package` RENAME COLUMN `turn_walk_id` TO `last_turn_walk_id`;--> statement-breakpoint
ALTER TABLE `package` RENAME COLUMN `unexplained` TO `missing_records`;--> statement-breakpoint
ALTER TABLE `walk` RENAME COLUMN `unread` TO `unread_reason`;--> statement-breakpoint
ALTER TABLE `pause` RENAME COLUMN `back_at` TO `full_rate_at`;--> statement-breakpoint
ALTER TABLE `pause` RENAME COLUMN `strikes` TO `consecutive_restrictions`;--> statement-breakpoint
ALTER TABLE `warehouse_state` RENAME COLUMN `one` TO `singleton`;

CREATE TABLE `pause` (
	`account` text PRIMARY KEY NOT NULL,
	`until` TIMESTAMP NOT NULL,
	`reason` text NOT NULL,
	`since` TIMESTAMP NOT NULL,
	`back_at` TIMESTAMP NOT NULL,
	`strikes` BIGINT NOT NULL
);
--> statement-breakpoint
CREATE TABLE `saving` (
	`account` text NOT NULL,
	`date` DATE NOT NULL,
	`looks` BIGINT NOT NULL,
	`requests` BIGINT NOT NULL,
	PRIMARY KEY(`account`, `date`)
);
--> statement-breakpoint
ALTER TABLE `package` ADD `turn_walk_id` BIGINT DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `package` ADD `failed_walks` BIGINT DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `package` ADD `looked_at` TIMESTAMP;--> statement-breakpoint
ALTER TABLE `package` ADD `unexplained` BIGINT;--> statement-breakpoint
ALTER TABLE `run` ADD `resume_at` TIMESTAMP;--> statement-breakpoint
ALTER TABLE `run` ADD `origin_started_at` TIMESTAMP;--> statement-breakpoint
ALTER TABLE `walk` ADD `recognised` BIGINT DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `walk_running` ON `walk` (`walk_id`) WHERE "walk"."status" = 'running';--> statement-breakpoint
CREATE INDEX `video_removed` ON `video` (`account`,`package_id`,`id`) WHERE "video"."removed_at" is not null;--> statement-breakpoint
UPDATE `package` SET `looked_at` = `walked_at`, `turn_walk_id` = coalesce((SELECT max(`walk_id`) FROM `walk` WHERE `walk`.`account` = `package`.`account` AND `walk`.`package_id` = `package`.`package_id`), 0);

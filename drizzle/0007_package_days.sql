CREATE TABLE `package_day` (
	`account` text NOT NULL,
	`package_id` BIGINT NOT NULL,
	`date` DATE NOT NULL,
	`videos` BIGINT NOT NULL,
	PRIMARY KEY(`account`, `package_id`, `date`)
);
--> statement-breakpoint
CREATE INDEX `video_removed_at` ON `video` (`removed_at`) WHERE "video"."removed_at" is not null;--> statement-breakpoint
INSERT INTO `package_day` (`account`, `package_id`, `date`, `videos`) SELECT `account`, `package_id`, `date`, `totalcount` FROM (SELECT `account`, `package_id`, date(`finished_at`) AS `date`, `totalcount`, max(`finished_at`) FROM `walk` WHERE `mode` = 'full' AND `status` = 'succeeded' AND `totalcount` IS NOT NULL AND `finished_at` IS NOT NULL GROUP BY 1, 2, 3);

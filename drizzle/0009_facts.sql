CREATE TABLE `storage_correction` (
	`account` text NOT NULL,
	`date` DATE NOT NULL,
	`accepted_at` TIMESTAMP NOT NULL,
	`mov_org_cnt` BIGINT,
	`mov_org_size` BIGINT,
	`encoder_cnt` BIGINT,
	`encoder_size` BIGINT,
	`ad_org_cnt` BIGINT,
	`ad_org_size` BIGINT,
	`ad_encoder_cnt` BIGINT,
	`ad_encoder_size` BIGINT,
	`image_count` BIGINT,
	`image_size` BIGINT,
	`reason` text NOT NULL,
	PRIMARY KEY(`account`, `date`, `accepted_at`)
);
--> statement-breakpoint
CREATE TABLE `storage_unconfirmed` (
	`account` text NOT NULL,
	`date` DATE NOT NULL,
	`mov_org_cnt` BIGINT,
	`mov_org_size` BIGINT,
	`encoder_cnt` BIGINT,
	`encoder_size` BIGINT,
	`ad_org_cnt` BIGINT,
	`ad_org_size` BIGINT,
	`ad_encoder_cnt` BIGINT,
	`ad_encoder_size` BIGINT,
	`image_count` BIGINT,
	`image_size` BIGINT,
	`reason` text NOT NULL,
	`observed_at` TIMESTAMP NOT NULL,
	PRIMARY KEY(`account`, `date`)
);
--> statement-breakpoint
ALTER TABLE `storage_discrepancy` ADD `resolved_at` TIMESTAMP;--> statement-breakpoint
CREATE INDEX `storage_discrepancy_open` ON `storage_discrepancy` (`account`,`date`) WHERE "storage_discrepancy"."resolved_at" is null;--> statement-breakpoint
ALTER TABLE `storage_gap` ADD `reason` text DEFAULT 'missing' NOT NULL;--> statement-breakpoint
ALTER TABLE `storage_gap` ADD `asked_days` BIGINT DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `run` ADD `clock_offset_ms` BIGINT;--> statement-breakpoint
ALTER TABLE `warehouse_state` ADD `timezone` text;
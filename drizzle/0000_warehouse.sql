CREATE TABLE `package` (
	`account` text NOT NULL,
	`package_id` BIGINT NOT NULL,
	`name` text,
	`totalcount` BIGINT,
	`page_size` BIGINT,
	`walked_at` TIMESTAMP,
	`order` text,
	`retired_at` TIMESTAMP,
	`live_count` BIGINT DEFAULT 0 NOT NULL,
	PRIMARY KEY(`account`, `package_id`)
);
--> statement-breakpoint
CREATE TABLE `quarantine` (
	`quarantine_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account` text NOT NULL,
	`stream` text NOT NULL,
	`package_id` BIGINT,
	`record_id` text,
	`page` BIGINT,
	`reason` text NOT NULL,
	`raw` text NOT NULL,
	`seen_at` TIMESTAMP NOT NULL,
	`resolved_at` TIMESTAMP
);
--> statement-breakpoint
CREATE INDEX `quarantine_record` ON `quarantine` (`account`,`stream`,`package_id`,`record_id`);--> statement-breakpoint
CREATE TABLE `removal_candidate` (
	`account` text NOT NULL,
	`package_id` BIGINT NOT NULL,
	`id` BIGINT NOT NULL,
	`proved_at` TIMESTAMP NOT NULL,
	`walk_id` BIGINT NOT NULL,
	`held_back` BOOLEAN DEFAULT false NOT NULL,
	`held_at` TIMESTAMP,
	PRIMARY KEY(`account`, `package_id`, `id`)
);
--> statement-breakpoint
CREATE TABLE `video` (
	`account` text NOT NULL,
	`package_id` BIGINT NOT NULL,
	`id` BIGINT NOT NULL,
	`cid` text,
	`access_key` text,
	`org_access_key` text,
	`title` text,
	`series` text,
	`author` text,
	`content` text,
	`tag` text,
	`copyright` text,
	`rate` text,
	`cdate` text,
	`duration` BIGINT,
	`etc` text,
	`thumbnail_url` text,
	`thumbnail_sheet_url` text,
	`encoding_success` text,
	`v_width` BIGINT,
	`v_height` BIGINT,
	`v_framerate` real,
	`filesize` BIGINT,
	`drm_cid` text,
	`opt` text,
	`preloading` text,
	`extra` text,
	`first_seen_at` TIMESTAMP NOT NULL,
	`changed_at` TIMESTAMP NOT NULL,
	`removed_at` TIMESTAMP,
	`change_seq` BIGINT NOT NULL,
	PRIMARY KEY(`account`, `package_id`, `id`)
);
--> statement-breakpoint
CREATE TABLE `storage_day` (
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
	`state` text NOT NULL,
	`observed_at` TIMESTAMP NOT NULL,
	PRIMARY KEY(`account`, `date`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `storage_discrepancy` (
	`discrepancy_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account` text NOT NULL,
	`date` DATE NOT NULL,
	`field` text NOT NULL,
	`booked` BIGINT,
	`observed` BIGINT,
	`observed_at` TIMESTAMP NOT NULL
);
--> statement-breakpoint
CREATE TABLE `storage_gap` (
	`account` text NOT NULL,
	`date` DATE NOT NULL,
	`first_missed_at` TIMESTAMP NOT NULL,
	`last_asked_at` TIMESTAMP NOT NULL,
	`given_up_at` TIMESTAMP,
	PRIMARY KEY(`account`, `date`)
);
--> statement-breakpoint
CREATE TABLE `storage_reading` (
	`reading_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account` text NOT NULL,
	`observed_at` TIMESTAMP NOT NULL,
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
	`image_size` BIGINT
);
--> statement-breakpoint
CREATE TABLE `request` (
	`request_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account` text NOT NULL,
	`at_ms` BIGINT NOT NULL,
	`answered_at_ms` BIGINT,
	`purpose` text NOT NULL,
	`run_id` BIGINT,
	`package_id` BIGINT,
	`page` BIGINT,
	`status` BIGINT,
	`duration_ms` BIGINT,
	`bytes` BIGINT,
	`spent_until_ms` BIGINT NOT NULL
);
--> statement-breakpoint
CREATE INDEX `request_window` ON `request` (`account`,`spent_until_ms`);--> statement-breakpoint
CREATE INDEX `request_run` ON `request` (`run_id`,`account`,`package_id`);--> statement-breakpoint
CREATE TABLE `run` (
	`run_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`trigger` text NOT NULL,
	`mode` text NOT NULL,
	`status` text NOT NULL,
	`started_at` TIMESTAMP NOT NULL,
	`finished_at` TIMESTAMP,
	`requests` BIGINT DEFAULT 0 NOT NULL,
	`error` text,
	`scope` text
);
--> statement-breakpoint
CREATE TABLE `walk` (
	`walk_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` integer NOT NULL,
	`account` text NOT NULL,
	`package_id` BIGINT NOT NULL,
	`mode` text NOT NULL,
	`status` text NOT NULL,
	`pages` BIGINT DEFAULT 0 NOT NULL,
	`totalcount` BIGINT,
	`inserted` BIGINT DEFAULT 0 NOT NULL,
	`updated` BIGINT DEFAULT 0 NOT NULL,
	`unchanged` BIGINT DEFAULT 0 NOT NULL,
	`removed` BIGINT DEFAULT 0 NOT NULL,
	`restored` BIGINT DEFAULT 0 NOT NULL,
	`quarantined` BIGINT DEFAULT 0 NOT NULL,
	`unsettled` BIGINT DEFAULT 0 NOT NULL,
	`held_back` BIGINT DEFAULT 0 NOT NULL,
	`requests` BIGINT DEFAULT 0 NOT NULL,
	`resumed` BOOLEAN DEFAULT false NOT NULL,
	`started_at` TIMESTAMP NOT NULL,
	`finished_at` TIMESTAMP,
	`error` text,
	`checkpoint_id` BIGINT,
	`checkpoint_page` BIGINT,
	`page_size` BIGINT,
	`order_violated` BOOLEAN DEFAULT false NOT NULL,
	`resumed_from_id` BIGINT,
	`origin_started_at` TIMESTAMP NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`run_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `walk_package` ON `walk` (`account`,`package_id`);--> statement-breakpoint
CREATE INDEX `walk_run` ON `walk` (`run_id`);--> statement-breakpoint
CREATE TABLE `warehouse_state` (
	`one` integer PRIMARY KEY NOT NULL,
	`created_at` TIMESTAMP NOT NULL,
	`change_seq` BIGINT NOT NULL
);

CREATE TABLE `drift` (
	`account` text NOT NULL,
	`stream` text NOT NULL,
	`field` text NOT NULL,
	`kind` text NOT NULL,
	`sample` text,
	`first_seen_at` TIMESTAMP NOT NULL,
	`last_seen_at` TIMESTAMP NOT NULL,
	`package_id` BIGINT,
	`absent_walks` BIGINT DEFAULT 0 NOT NULL,
	`absent_at` TIMESTAMP,
	`acknowledged_at` TIMESTAMP,
	`resolved_at` TIMESTAMP,
	PRIMARY KEY(`account`, `stream`, `field`, `kind`)
);
--> statement-breakpoint
CREATE TABLE `package_day` (
	`account` text NOT NULL,
	`package_id` BIGINT NOT NULL,
	`date` DATE NOT NULL,
	`videos` BIGINT NOT NULL,
	PRIMARY KEY(`account`, `package_id`, `date`)
);
--> statement-breakpoint
CREATE TABLE `package` (
	`account` text NOT NULL,
	`package_id` BIGINT NOT NULL,
	`name` text,
	`totalcount` BIGINT,
	`page_size` BIGINT,
	`walked_at` TIMESTAMP,
	`first_walked_at` TIMESTAMP,
	`order` text,
	`retired_at` TIMESTAMP,
	`last_count` BIGINT,
	`live_count` BIGINT DEFAULT 0 NOT NULL,
	`changed_seq` BIGINT DEFAULT 0 NOT NULL,
	`last_turn_walk_id` BIGINT DEFAULT 0 NOT NULL,
	`failed_walks` BIGINT DEFAULT 0 NOT NULL,
	`compared_at` TIMESTAMP,
	`missing_records` BIGINT,
	`schedule` text,
	PRIMARY KEY(`account`, `package_id`)
);
--> statement-breakpoint
CREATE TABLE `page_hash` (
	`account` text NOT NULL,
	`package_id` BIGINT NOT NULL,
	`page` BIGINT NOT NULL,
	`page_size` BIGINT NOT NULL,
	`hash` text NOT NULL,
	`records` BIGINT NOT NULL,
	`first_id` BIGINT NOT NULL,
	`last_id` BIGINT NOT NULL,
	`proof_low` BIGINT NOT NULL,
	`proof_high` BIGINT NOT NULL,
	`drift` text,
	PRIMARY KEY(`account`, `package_id`, `page`, `page_size`)
);
--> statement-breakpoint
CREATE INDEX `page_hash_proof` ON `page_hash` (`account`,`package_id`,`proof_low`,`proof_high`);--> statement-breakpoint
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
CREATE INDEX `quarantine_open` ON `quarantine` (`account`,`stream`) WHERE "quarantine"."resolved_at" is null;--> statement-breakpoint
CREATE TABLE `removal_candidate` (
	`account` text NOT NULL,
	`package_id` BIGINT NOT NULL,
	`id` BIGINT NOT NULL,
	`proved_at` TIMESTAMP NOT NULL,
	`proof` text DEFAULT 'order' NOT NULL,
	`walk_id` BIGINT NOT NULL,
	`held_back` BOOLEAN DEFAULT false NOT NULL,
	`held_at` TIMESTAMP,
	`held_by` BIGINT,
	`held_reason` text,
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
	`first_missing_at` TIMESTAMP,
	`change_seq` BIGINT NOT NULL,
	`version_number` BIGINT DEFAULT 1 NOT NULL,
	`change` text DEFAULT 'added' NOT NULL,
	`changed_fields` text,
	`run_id` BIGINT,
	PRIMARY KEY(`account`, `package_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `video_removed` ON `video` (`account`,`package_id`,`id`) WHERE "video"."removed_at" is not null;--> statement-breakpoint
CREATE INDEX `video_removed_at` ON `video` (`removed_at`) WHERE "video"."removed_at" is not null;--> statement-breakpoint
CREATE TABLE `video_version` (
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
	`first_missing_at` TIMESTAMP,
	`change_seq` BIGINT NOT NULL,
	`version_number` BIGINT DEFAULT 1 NOT NULL,
	`change` text DEFAULT 'added' NOT NULL,
	`changed_fields` text,
	`run_id` BIGINT,
	`valid_from` TIMESTAMP NOT NULL,
	`valid_to` TIMESTAMP NOT NULL,
	PRIMARY KEY(`account`, `package_id`, `id`, `change_seq`)
);
--> statement-breakpoint
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
);
--> statement-breakpoint
CREATE TABLE `storage_discrepancy` (
	`discrepancy_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account` text NOT NULL,
	`date` DATE NOT NULL,
	`field` text NOT NULL,
	`booked` BIGINT,
	`observed` BIGINT,
	`observed_at` TIMESTAMP NOT NULL,
	`resolved_at` TIMESTAMP
);
--> statement-breakpoint
CREATE INDEX `storage_discrepancy_open` ON `storage_discrepancy` (`account`,`date`) WHERE "storage_discrepancy"."resolved_at" is null;--> statement-breakpoint
CREATE TABLE `storage_gap` (
	`account` text NOT NULL,
	`date` DATE NOT NULL,
	`first_missed_at` TIMESTAMP NOT NULL,
	`last_requested_at` TIMESTAMP NOT NULL,
	`given_up_at` TIMESTAMP,
	`reason` text DEFAULT 'missing' NOT NULL,
	`requested_days` BIGINT DEFAULT 1 NOT NULL,
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
CREATE INDEX `storage_reading_account` ON `storage_reading` (`account`,`reading_id`);--> statement-breakpoint
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
CREATE TABLE `backup` (
	`backup_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`file` text NOT NULL,
	`started_at` TIMESTAMP NOT NULL,
	`finished_at` TIMESTAMP,
	`size_bytes` BIGINT,
	`error` text
);
--> statement-breakpoint
CREATE TABLE `pause` (
	`account` text PRIMARY KEY NOT NULL,
	`until` TIMESTAMP NOT NULL,
	`reason` text NOT NULL,
	`since` TIMESTAMP NOT NULL,
	`full_rate_at` TIMESTAMP NOT NULL,
	`consecutive_restrictions` BIGINT NOT NULL
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
	`scope` text,
	`resume_at` TIMESTAMP,
	`origin_started_at` TIMESTAMP,
	`clock_offset_ms` BIGINT
);
--> statement-breakpoint
CREATE TABLE `run_failure` (
	`run_id` integer NOT NULL,
	`account` text NOT NULL,
	`package_id` BIGINT,
	`stream` text,
	`kind` text NOT NULL,
	`message` text NOT NULL,
	`skipped` BIGINT,
	PRIMARY KEY(`run_id`, `account`, `package_id`, `stream`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`run_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `saved_requests` (
	`account` text NOT NULL,
	`date` DATE NOT NULL,
	`quick_walks` BIGINT NOT NULL,
	`requests` BIGINT NOT NULL,
	PRIMARY KEY(`account`, `date`)
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
	`added` BIGINT DEFAULT 0 NOT NULL,
	`edited` BIGINT DEFAULT 0 NOT NULL,
	`unchanged` BIGINT DEFAULT 0 NOT NULL,
	`recognised` BIGINT DEFAULT 0 NOT NULL,
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
	`unread_reason` text,
	`origin_started_at` TIMESTAMP NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`run_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `walk_package` ON `walk` (`account`,`package_id`);--> statement-breakpoint
CREATE INDEX `walk_run` ON `walk` (`run_id`);--> statement-breakpoint
CREATE INDEX `walk_running` ON `walk` (`walk_id`) WHERE "walk"."status" = 'running';--> statement-breakpoint
CREATE INDEX `walk_trouble` ON `walk` (`account`,`package_id`,`started_at`) WHERE "walk"."status" <> 'succeeded';--> statement-breakpoint
CREATE TABLE `warehouse_state` (
	`singleton` integer PRIMARY KEY NOT NULL,
	`created_at` TIMESTAMP NOT NULL,
	`change_seq` BIGINT NOT NULL,
	`restored_at` TIMESTAMP,
	`timezone` text,
	`is_demo` BOOLEAN DEFAULT false NOT NULL,
	`warehouse_id` text
);
--> statement-breakpoint
CREATE TABLE `incident` (
	`incident_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`account` text,
	`package_id` BIGINT,
	`part` text,
	`text` text NOT NULL,
	`advice` text,
	`details` text NOT NULL,
	`since` TIMESTAMP NOT NULL,
	`opened_at` TIMESTAMP NOT NULL,
	`notified_at` TIMESTAMP,
	`closed_at` TIMESTAMP,
	`closed_notified_at` TIMESTAMP,
	`attempts` BIGINT DEFAULT 0 NOT NULL,
	`next_at` TIMESTAMP NOT NULL,
	`last_error` text
);
--> statement-breakpoint
CREATE INDEX `incident_unfinished` ON `incident` (`incident_id`) WHERE "incident"."closed_notified_at" is null;--> statement-breakpoint
CREATE TABLE `forgotten` (
	`forgotten_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`account_name` text NOT NULL,
	`package_id` BIGINT,
	`at` TIMESTAMP NOT NULL
);
--> statement-breakpoint
CREATE TABLE `publication` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`publication_id` text NOT NULL,
	`published_at` TIMESTAMP NOT NULL
);
--> statement-breakpoint
CREATE TABLE `target_load` (
	`target` text NOT NULL,
	`account` text NOT NULL,
	`outcome` text NOT NULL,
	`change_seq` BIGINT,
	`attempted_at` TIMESTAMP NOT NULL,
	`loaded_at` TIMESTAMP,
	`failing_since` TIMESTAMP,
	`error` text,
	`hint` text,
	`code` text,
	`loads` BIGINT NOT NULL,
	`failures` BIGINT NOT NULL,
	`rows` BIGINT NOT NULL,
	`duration_ms` BIGINT NOT NULL,
	`verified_at` TIMESTAMP,
	`differences` text,
	PRIMARY KEY(`target`, `account`)
);
--> statement-breakpoint
-- A booked day is history: no INSERT over it, no UPDATE, no DELETE. The insert is guarded too because
-- INSERT OR REPLACE does not fire delete triggers; so is an UPDATE OR REPLACE that moves a live row onto a booked one.
CREATE TRIGGER `storage_day_booked_insert` BEFORE INSERT ON `storage_day`
WHEN EXISTS (SELECT 1 FROM `storage_day` WHERE `account` = NEW.`account` AND `date` = NEW.`date` AND `state` = 'booked')
BEGIN SELECT RAISE(ABORT, 'a booked day is never changed'); END;
--> statement-breakpoint
CREATE TRIGGER `storage_day_booked_update` BEFORE UPDATE ON `storage_day`
WHEN OLD.`state` = 'booked'
  OR EXISTS (SELECT 1 FROM `storage_day` WHERE `account` = NEW.`account` AND `date` = NEW.`date` AND `state` = 'booked')
BEGIN SELECT RAISE(ABORT, 'a booked day is never changed'); END;
--> statement-breakpoint
CREATE TRIGGER `storage_day_booked_delete` BEFORE DELETE ON `storage_day`
WHEN OLD.`state` = 'booked'
BEGIN SELECT RAISE(ABORT, 'a booked day is never changed'); END;
--> statement-breakpoint
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

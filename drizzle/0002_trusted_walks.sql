CREATE TABLE `drift` (
	`account` text NOT NULL,
	`stream` text NOT NULL,
	`field` text NOT NULL,
	`kind` text NOT NULL,
	`sample` text,
	`first_seen_at` TIMESTAMP NOT NULL,
	`last_seen_at` TIMESTAMP NOT NULL,
	PRIMARY KEY(`account`, `stream`, `field`, `kind`)
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
	`change_seq` BIGINT NOT NULL,
	`drift` text,
	PRIMARY KEY(`account`, `package_id`, `page`, `page_size`)
);
--> statement-breakpoint
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
	`change_seq` BIGINT NOT NULL,
	`valid_from` TIMESTAMP NOT NULL,
	`valid_to` TIMESTAMP NOT NULL,
	PRIMARY KEY(`account`, `package_id`, `id`, `change_seq`)
);
--> statement-breakpoint
ALTER TABLE `package` ADD `changed_seq` BIGINT DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `removal_candidate` ADD `proof` text DEFAULT 'order' NOT NULL;--> statement-breakpoint
ALTER TABLE `removal_candidate` ADD `held_by` BIGINT;--> statement-breakpoint
ALTER TABLE `removal_candidate` ADD `held_reason` text;--> statement-breakpoint
ALTER TABLE `walk` ADD `unread` text;
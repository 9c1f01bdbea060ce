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
DROP TABLE `account_move`;--> statement-breakpoint
DELETE FROM `target_load`;--> statement-breakpoint
ALTER TABLE `target_load` ADD `differences` text;--> statement-breakpoint
ALTER TABLE `target_load` ADD `notes` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `target_load` DROP COLUMN `held_by`;--> statement-breakpoint
ALTER TABLE `target_load` DROP COLUMN `held_until`;--> statement-breakpoint
ALTER TABLE `target_load` DROP COLUMN `verified`;--> statement-breakpoint
ALTER TABLE `target_load` DROP COLUMN `findings`;--> statement-breakpoint
ALTER TABLE `warehouse_state` DROP COLUMN `timeline`;
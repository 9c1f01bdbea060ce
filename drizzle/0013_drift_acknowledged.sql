ALTER TABLE `drift` ADD `package_id` BIGINT;--> statement-breakpoint
ALTER TABLE `drift` ADD `absent_walks` BIGINT DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `drift` ADD `absent_at` TIMESTAMP;--> statement-breakpoint
ALTER TABLE `drift` ADD `acknowledged_at` TIMESTAMP;--> statement-breakpoint
ALTER TABLE `drift` ADD `resolved_at` TIMESTAMP;--> statement-breakpoint
UPDATE `drift` SET `acknowledged_at` = `last_seen_at` WHERE `first_seen_at` < datetime('now', '-7 days');

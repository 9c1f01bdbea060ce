ALTER TABLE `package` ADD `first_walked_at` TIMESTAMP;--> statement-breakpoint
ALTER TABLE `warehouse_state` ADD `restored_at` TIMESTAMP;--> statement-breakpoint
UPDATE `package` SET `first_walked_at` = coalesce((SELECT min(`finished_at`) FROM `walk` WHERE `walk`.`account` = `package`.`account` AND `walk`.`package_id` = `package`.`package_id` AND `mode` = 'full' AND `status` = 'succeeded'), `walked_at`) WHERE `walked_at` IS NOT NULL;

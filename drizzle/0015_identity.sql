ALTER TABLE `warehouse_state` ADD `warehouse_id` text;--> statement-breakpoint
ALTER TABLE `warehouse_state` ADD `timeline` text;
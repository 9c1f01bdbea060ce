ALTER TABLE `warehouse_state` ADD `config_file` text;--> statement-breakpoint
ALTER TABLE `warehouse_state` ADD `config_accounts` text;--> statement-breakpoint
ALTER TABLE `warehouse_state` ADD `is_demo` BOOLEAN DEFAULT false NOT NULL;
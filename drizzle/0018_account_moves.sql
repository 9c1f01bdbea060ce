CREATE TABLE `account_move` (
	`account` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`arrival_id` text,
	`origins` text DEFAULT '[]' NOT NULL,
	`move_id` text,
	`other_file` text NOT NULL,
	`other_warehouse_id` text NOT NULL,
	`at` TIMESTAMP NOT NULL
);

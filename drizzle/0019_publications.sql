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

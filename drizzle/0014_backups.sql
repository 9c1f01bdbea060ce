CREATE TABLE `backup` (
	`backup_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`file` text NOT NULL,
	`started_at` TIMESTAMP NOT NULL,
	`finished_at` TIMESTAMP,
	`size_bytes` BIGINT,
	`error` text
);

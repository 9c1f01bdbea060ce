CREATE TABLE `incident` (
	`incident_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event` text NOT NULL,
	`account` text,
	`package_id` BIGINT,
	`text` text NOT NULL,
	`details` text NOT NULL,
	`since` TIMESTAMP NOT NULL,
	`noticed_at` TIMESTAMP NOT NULL,
	`over_at` TIMESTAMP,
	`message_id` BIGINT NOT NULL
);
--> statement-breakpoint
CREATE INDEX `incident_open` ON `incident` (`incident_id`) WHERE "incident"."over_at" is null;--> statement-breakpoint
CREATE TABLE `incident_message` (
	`message_id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event` text NOT NULL,
	`account` text,
	`state` text NOT NULL,
	`body` text NOT NULL,
	`created_at` TIMESTAMP NOT NULL,
	`attempts` BIGINT DEFAULT 0 NOT NULL,
	`next_at` TIMESTAMP NOT NULL,
	`claimed_until` TIMESTAMP,
	`last_error` text,
	`delivered_at` TIMESTAMP,
	`given_up_at` TIMESTAMP
);
--> statement-breakpoint
CREATE INDEX `incident_message_waiting` ON `incident_message` (`message_id`) WHERE "incident_message"."delivered_at" is null and "incident_message"."given_up_at" is null;
-- A booked day is history: no INSERT over it, no UPDATE, no DELETE. The insert is guarded too because
-- INSERT OR REPLACE does not fire delete triggers; so is an UPDATE OR REPLACE that moves a live row onto a booked one.
CREATE TRIGGER `storage_day_booked_insert` BEFORE INSERT ON `storage_day`
WHEN EXISTS (SELECT 1 FROM `storage_day` WHERE `account` = NEW.`account` AND `date` = NEW.`date` AND `state` = 'booked')
BEGIN SELECT RAISE(ABORT, 'a booked day is never changed'); END;
--> statement-breakpoint
CREATE TRIGGER `storage_day_booked_update` BEFORE UPDATE ON `storage_day`
WHEN OLD.`state` = 'booked'
  OR EXISTS (SELECT 1 FROM `storage_day` WHERE `account` = NEW.`account` AND `date` = NEW.`date` AND `state` = 'booked')
BEGIN SELECT RAISE(ABORT, 'a booked day is never changed'); END;
--> statement-breakpoint
CREATE TRIGGER `storage_day_booked_delete` BEFORE DELETE ON `storage_day`
WHEN OLD.`state` = 'booked'
BEGIN SELECT RAISE(ABORT, 'a booked day is never changed'); END;

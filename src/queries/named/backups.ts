/** The backups of the worker. */
import { query } from '../../database/query.ts';

/** All null before the first attempt. */
export interface LastBackup {
  file: string | null;
  made_at: string | null;
  size_bytes: number | null;
  /** Why the newest attempt failed, and when the first of the failures since the last backup began. */
  error: string | null;
  failing_since: string | null;
  /** The end of the first full run over everything: backups begin after it. */
  first_run_at: string | null;
}

/** The newest backup that was made, and the attempts after it that failed. */
export const LAST_BACKUP = query<LastBackup>(`
select made.file, made.finished_at as made_at, made.size_bytes, failed.error,
  (select min(started_at) from backup where error is not null) as failing_since,
  (select min(finished_at) from run where mode = 'full' and scope is null) as first_run_at
from (select max(backup_id) filter (where finished_at is not null) as made_id,
    max(backup_id) filter (where error is not null) as failed_id from backup) as last
left join backup as made on made.backup_id = last.made_id
left join backup as failed on failed.backup_id = last.failed_id`);

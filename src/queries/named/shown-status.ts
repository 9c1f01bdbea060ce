/** The status of runs and walks as readers see it. */
import type { Db } from '../../database/connection.ts';
import { isHeld } from '../../database/lock.ts';
import type { Status } from '../../database/schema/values.ts';

/**
 * Returns the status to show for a stored one. A run or walk whose process was killed is stored as `running`;
 * it is shown as `interrupted`, which is what the next run will store.
 */
export function getShownStatus<Stored extends Status | null>(db: Db, status: Stored): Stored | 'interrupted' {
  return status === 'running' && !isHeld(db.$client.name, 'run') ? 'interrupted' : status;
}

/** The rows with the status that is shown. */
export function withShownStatus<Row extends { status: Status }>(db: Db, rows: readonly Row[]): Row[] {
  return rows.map((row) => ({ ...row, status: getShownStatus(db, row.status) }));
}

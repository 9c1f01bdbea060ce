/** The status of runs and walks as readers see it. */
import { isHeld } from '../database/lock.ts';
import type { Status } from '../database/schema/values.ts';

export type ShowStatus = ReturnType<typeof createShowStatus>;

/**
 * For the live file at `path`. The returned function takes a stored status: that of a run or walk whose process was killed is
 * `running`, and becomes `interrupted`, as the next run will write it.
 */
export const createShowStatus =
  (path: string) =>
  <Stored extends Status | null>(status: Stored) =>
    status === 'running' && !isHeld(path, 'run') ? ('interrupted' as const) : status;

/** The rows with the status that is shown. */
export const withShownStatus = <Row extends { status: Status }>(
  rows: readonly Row[],
  show: ShowStatus,
): Row[] => rows.map((row) => (row.status === 'running' ? { ...row, status: show(row.status) } : row));

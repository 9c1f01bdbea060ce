/** Notes of the worker that `status` shows in other processes. */
import type { Lock } from '../database/lock.ts';
import { toTimestamp, type Clock } from '../lib/clock.ts';
import { errorLine } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';

/** Notes it in the lock of the worker, where `status` finds it. */
export const noteForOthers = (
  { lock, logger }: { lock: Pick<Lock, 'note'>; logger: Logger },
  more: Parameters<Lock['note']>[0],
): void => tryToNote(logger, () => lock.note(more));

/** Writes a note. A failure is only logged, because a full disk must not end a worker. */
export function tryToNote(logger: Logger, write: () => void): void {
  try {
    write();
  } catch (error) {
    const reason = errorLine(error);
    logger.warn({ event: 'config_warning', reason }, `vodhouse status cannot show this: ${reason}`);
  }
}

/** Notes since when the worker has the schedule of its backups: a reload that keeps it changes nothing. */
export function createBackupNotes(parts: { lock: Pick<Lock, 'note'>; clock: Clock; logger: Logger }) {
  let current: string | null = null;
  return (schedule: string | null): void => {
    if (schedule === current) return;
    current = schedule;
    const backups = schedule === null ? null : { since: toTimestamp(parts.clock.now()) };
    noteForOthers(parts, { backups });
  };
}

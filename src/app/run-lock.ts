/** The right to make a run, waited for or not. */
import { createLockedError, tryLock, type Lock } from '../database/lock.ts';
import { LockedError } from '../lib/errors.ts';
import type { Environment } from './environment.ts';

const LOCK_POLL_MS = 300;

/** Takes the run lock of the live file at `path`. Throws LockedError where another process holds it and `wait` is false. */
export async function takeRunLock(
  path: string,
  { clock, logger, command }: Environment,
  signal: AbortSignal,
  wait: boolean,
): Promise<Lock> {
  for (let tries = 1; ; tries++) {
    const lock = tryLock(path, 'run', command, clock.now());
    if (lock) return lock;
    if (!wait) throw createLockedError(path, 'run');
    const reason = createLockedError(path, 'run').message;
    if (tries === 1) logger.info({ event: 'run_lock_wait', reason }, `waiting: ${reason}`);
    await clock.sleep(LOCK_POLL_MS, signal);
  }
}

/** Calls `open` again and again while it throws LockedError. Gives null if the signal aborts first; throws its other errors. */
export async function openWhenFree<Opened>(
  open: () => Opened,
  { clock, logger }: Pick<Environment, 'clock' | 'logger'>,
  signal: AbortSignal,
): Promise<Opened | null> {
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      return open();
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      const reason = error.message;
      if (tries === 1) logger.info({ event: 'run_lock_wait', reason }, `waiting: ${reason}`);
    }
    await clock.sleep(LOCK_POLL_MS, signal).catch(() => undefined); // the loop ends at the signal
  }
  return null;
}

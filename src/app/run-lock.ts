/** Waits for what another process holds. */
import { LockedError } from '../lib/errors.ts';
import type { Environment } from './environment.ts';

const LOCK_POLL_MS = 300;

/** Calls `open` again and again while it throws LockedError. Throws its other errors, and the reason of the signal. */
export async function openWhenFree<Opened>(
  open: () => Opened,
  { clock, logger }: Pick<Environment, 'clock' | 'logger'>,
  signal: AbortSignal,
): Promise<Opened> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    try {
      return open();
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      const reason = error.message;
      if (tries === 1) logger.info({ event: 'run_lock_wait', reason }, `waiting: ${reason}`);
    }
    await clock.sleep(LOCK_POLL_MS, signal);
  }
}

import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { lockedError, tryLock, type Lock } from '../database/lock.ts';

const LOCK_POLL_MS = 300;

/** Takes the run lock of the live file at `path`. Throws LockedError where another process holds it, unless told to wait. */
export async function takeRunLock(
  path: string,
  options: { clock: Clock; logger: Logger; command: string; signal: AbortSignal; wait: boolean },
): Promise<Lock> {
  for (let tries = 1; ; tries++) {
    const lock = tryLock(path, 'run', options.command, options.clock.now());
    if (lock) return lock;
    if (!options.wait) throw lockedError(path, 'run');
    if (tries === 1) options.logger.info(`waiting: ${lockedError(path, 'run').message}`);
    await options.clock.sleep(LOCK_POLL_MS, options.signal);
  }
}

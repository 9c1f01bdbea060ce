/** What a worker tells other processes while it runs. */
import type { Lock } from '../database/lock.ts';
import { errorMessage } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';

/** Notes it in the lock of the worker, where `status` finds it. A full disk must not end a worker: it is logged, never thrown. */
export function noteForOthers(
  { lock, logger }: { lock: Pick<Lock, 'note'>; logger: Logger },
  more: Parameters<Lock['note']>[0],
): void {
  try {
    lock.note(more);
  } catch (error) {
    const reason = errorMessage(error);
    logger.warn({ event: 'config_warning', reason }, `status cannot be told about the config: ${reason}`);
  }
}

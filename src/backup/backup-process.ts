/** A backup in a process of its own: SQLite does not give way while it copies, and a signal has to be heard. */
import { answerOf, forkBuilt } from '../lib/child-process.ts';
import { interruptedBy, WarehouseError } from '../lib/errors.ts';
import { revived, type ToldError } from '../lib/serialize-error.ts';
import type { Copied } from './backup.ts';
import { sweepDrafts } from '../database/draft-files.ts';

/** What to copy where to: see `backUp`. */
export interface BackupOrder {
  path: string;
  file: string;
}

/** What the process answers. */
export type BackupAnswer = { copied: Copied } | { error: ToldError };

/**
 * Copies the live file at `path` to `file` as `backUp` does, and throws what that throws. Throws InterruptedError when the
 * signal aborts: then nothing is left at `file`, nor next to it.
 */
export async function backUpApart(path: string, file: string, signal: AbortSignal): Promise<Copied> {
  signal.throwIfAborted();
  const child = forkBuilt('backup/backup-process-entry.js');
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answer = await answerOf<BackupAnswer>(child, { path, file } satisfies BackupOrder);
    if ('copied' in answer) return answer.copied;
    if ('error' in answer) throw revived(answer.error);
    sweepDrafts(file);
    throw signal.aborted ? interruptedBy(signal) : endedEarly(answer.ended);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function endedEarly(how: string): WarehouseError {
  return new WarehouseError(`the process that copies ended with ${how}; no backup was made`);
}

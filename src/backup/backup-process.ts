/** A backup in a process of its own: SQLite does not give way while it copies, and a signal has to be heard. */
import { awaitMessage, forkDist } from '../lib/child-process.ts';
import { toInterruptedError, WarehouseError } from '../lib/errors.ts';
import { deserializeError, type SerializedError } from '../lib/serialize-error.ts';
import type { CopyResult } from './backup.ts';
import { sweepDrafts } from '../database/draft-files.ts';

/** What to copy where to: see `backUp`. */
export interface BackupRequest {
  path: string;
  file: string;
}

/** What the process answers. */
export type BackupAnswer = { copied: CopyResult } | { error: SerializedError };

/**
 * Copies the live file at `path` to `file` as `backUp` does, and throws what that throws. Throws InterruptedError when the
 * signal aborts: then nothing is left at `file`, nor next to it.
 */
export async function backUpInChild(path: string, file: string, signal: AbortSignal): Promise<CopyResult> {
  signal.throwIfAborted();
  const child = forkDist('backup/backup-process-entry.js');
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answer = await awaitMessage<BackupAnswer>(child, { path, file } satisfies BackupRequest);
    if ('copied' in answer) return answer.copied;
    if ('error' in answer) throw deserializeError(answer.error);
    sweepDrafts(file);
    throw signal.aborted ? toInterruptedError(signal) : endedEarly(answer.ended);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function endedEarly(how: string): WarehouseError {
  return new WarehouseError(`the process that copies ended with ${how}; no backup was made`);
}

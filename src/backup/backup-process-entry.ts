/** The process that makes a backup: takes one order, answers with what came of it, and ends. */
import { exitWithParent } from '../lib/child-process.ts';
import { serializeError } from '../lib/serialize-error.ts';
import { backUp } from './backup.ts';
import type { BackupAnswer, BackupRequest } from './backup-process.ts';

function answerTo({ path, file }: BackupRequest): BackupAnswer {
  try {
    return { copied: backUp(path, file) };
  } catch (error) {
    return { error: serializeError(error) };
  }
}

exitWithParent();
process.once('message', (order: BackupRequest) => {
  const answer = answerTo(order);
  if (process.connected) process.send?.(answer, undefined, undefined, () => process.exit());
});

/** The process that makes a backup: takes one order, answers with what came of it, and ends. */
import { endWithParent } from '../lib/child-process.ts';
import { told } from '../lib/serialize-error.ts';
import { backUp } from './backup.ts';
import type { BackupAnswer, BackupOrder } from './backup-process.ts';

function answerTo({ path, file }: BackupOrder): BackupAnswer {
  try {
    return { copied: backUp(path, file) };
  } catch (error) {
    return { error: told(error) };
  }
}

endWithParent();
process.once('message', (order: BackupOrder) => {
  const answer = answerTo(order);
  if (process.connected) process.send?.(answer, undefined, undefined, () => process.exit());
});

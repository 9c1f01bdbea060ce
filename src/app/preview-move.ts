/** What a move would do, before the question: both files are only read, so that a no leaves nothing behind. */
import { existsSync } from 'node:fs';
import { openReadOnly } from '../database/connection.ts';
import { findOtherHolder } from '../database/lock.ts';
import { createInUseError, planMove, type MoveContext, type MovePlan } from './move.ts';
import { findUnitsNotice } from './move-checks.ts';

export type MovePreview = MovePlan & { notice: string | null };

/**
 * The plan of the move, and what the person must see to. Makes no lock and no folder, and migrates no file. Throws ConfigError where
 * the account cannot be moved, LockedError where a process has one of the files, and WarehouseError for a file that cannot be read
 * or is of an older version: its worker may be older too.
 */
export function previewMove(context: MoveContext, to: string): MovePreview {
  const { config, clock } = context;
  for (const path of [config.warehouse, to].filter((each) => existsSync(each)))
    for (const name of ['worker', 'run'] as const)
      if (findOtherHolder(path, name, clock.now()) !== null) throw createInUseError(path, name);
  const from = openReadOnly(config.warehouse);
  try {
    const plan = planMove(context, from, to);
    return { ...plan, notice: plan.doneAs !== null ? null : findUnitsNotice(to, config) };
  } finally {
    from.$client.close();
  }
}

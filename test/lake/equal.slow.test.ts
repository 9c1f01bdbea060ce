import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDeltaDifferences } from '../support/fixtures/delta-reader.ts';
import { createLakeConfig } from '../support/fixtures/target-config.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { runTargetHistory } from '../support/models/target-history.ts';
import { targetHistory } from '../support/models/target-steps.ts';
import { rounds } from '../support/rounds.ts';

/** The same histories each time; `SEED=$RANDOM RUNS=200` looks for others. */
const RUNS = Number(process.env['RUNS'] ?? rounds(25));
const SEED = Number(process.env['SEED'] ?? 20_260_301);

/** Every file with its time: another list after any write. */
const listTimes = (root: string): Promise<string[]> =>
  Promise.resolve(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => `${name} ${statSync(join(root, name)).mtimeMs}`),
  );

describe('a lake', () => {
  it('equals the published file after each load, whatever happened in between, and a second load writes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(targetHistory, async (steps) => {
        const root = temporaryFolder();
        const broken = await runTargetHistory(steps, {
          config: createLakeConfig(root),
          findDifferences: (file) => Promise.resolve(findDeltaDifferences(file, root)),
          countWrites: () => listTimes(root),
        });
        expect(broken).toEqual([]);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 480_000, seed: SEED },
    );
  });
});

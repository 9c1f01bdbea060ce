import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findDeltaDifferences } from '../support/fixtures/delta-reader.ts';
import { listTimes } from '../support/fixtures/lake-site.ts';
import { createLakeConfig, createTargetConfig } from '../support/fixtures/target-config.ts';
import { countWrites, findTargetDifferences } from '../support/fixtures/target-rows.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { runTargetHistory, type HistoryTarget } from '../support/models/target-history.ts';
import { targetHistory } from '../support/models/target-steps.ts';
import { rounds } from '../support/rounds.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

/** The same histories each time; `SEED=$RANDOM RUNS=200` looks for others. */
const RUNS = Number(process.env['RUNS'] ?? rounds(25));
const SEED = Number(process.env['SEED'] ?? 20_260_301);

const expectEqual = (openTarget: () => HistoryTarget) =>
  fc.assert(
    fc.asyncProperty(targetHistory, async (steps) => {
      expect(await runTargetHistory(steps, openTarget())).toEqual([]);
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: 480_000, seed: SEED },
  );

describe('a target equals the published file after each load, and a second load writes nothing, whatever happened', () => {
  let server: PostgresServer | null = null;
  beforeAll(async () => {
    if (findPostgres() !== null) server = await startPostgres();
  });
  afterAll(() => server?.remove());

  it('in PostgreSQL', async (context) => {
    if (server === null) return context.skip();
    const place = { server, schema: '' };
    let runs = 0;
    await expectEqual(() => {
      const schema = `run_${++runs}`;
      return {
        config: createTargetConfig(place.server.url, { schema }),
        findDifferences: (file) => findTargetDifferences(file, { ...place, schema }),
        countWrites: () => countWrites({ ...place, schema }),
      };
    });
  });

  it('in a lake', () =>
    expectEqual(() => {
      const root = temporaryFolder();
      return {
        config: createLakeConfig(root),
        findDifferences: (file) => Promise.resolve(findDeltaDifferences(file, root)),
        countWrites: () => Promise.resolve(listTimes(root)),
      };
    }));
});

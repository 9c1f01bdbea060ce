import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { countWrites, findTargetDifferences } from '../support/fixtures/target-rows.ts';
import { runTargetHistory } from '../support/models/target-history.ts';
import { targetHistory } from '../support/models/target-steps.ts';
import { rounds } from '../support/rounds.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

/** The same histories each time; `SEED=$RANDOM RUNS=200` looks for others. */
const RUNS = Number(process.env['RUNS'] ?? rounds(25));
const SEED = Number(process.env['SEED'] ?? 20_260_301);

describe.skipIf(findPostgres() === null)('a target', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  it('equals the published file after each load, whatever happened in between, and a second load writes nothing', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(targetHistory, async (steps) => {
        const schema = `run_${++runs}`;
        const place = { server, schema };
        const broken = await runTargetHistory(steps, {
          config: createTargetConfig(server.url, { schema }),
          findDifferences: (file) => findTargetDifferences(file, place),
          countWrites: () => countWrites(place),
        });
        await server.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
        expect(broken).toEqual([]);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 480_000, seed: SEED },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openLakeSite } from '../support/fixtures/lake-site.ts';
import { openPostgresSite } from '../support/fixtures/postgres-site.ts';
import { runTargetHistory, targetHistory, type TargetSite } from '../support/models/target-history.ts';
import { rounds } from '../support/rounds.ts';
import { findPostgres, postgresForTests } from '../support/servers/postgres.ts';

/** The same histories each time; `SEED=$RANDOM RUNS=200` looks for others. */
const RUNS = Number(process.env['RUNS'] ?? rounds(25));
const SEED = Number(process.env['SEED'] ?? 20_260_301);

const expectEqual = (open: () => TargetSite) =>
  fc.assert(
    fc.asyncProperty(targetHistory, async (history) => {
      expect(await runTargetHistory(history, open())).toEqual([]);
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: 480_000, seed: SEED },
  );

describe('a target equals the published file after each load, and a second load writes nothing, whatever happened', () => {
  describe.skipIf(findPostgres() === null)('in PostgreSQL', () => {
    const server = postgresForTests();
    it('in each value of each row', () => expectEqual(() => openPostgresSite(server)));
  });

  it('in a lake', () => expectEqual(() => openLakeSite()));
});

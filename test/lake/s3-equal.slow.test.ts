import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createS3LakeConfig, findS3Differences } from '../support/fixtures/s3-lake-site.ts';
import { runTargetHistory } from '../support/models/target-history.ts';
import { targetHistory } from '../support/models/target-steps.ts';
import { startS3Server } from '../support/servers/s3-server.ts';

vi.setConfig({ testTimeout: 500_000 });

/** The same histories each time; `SEED=$RANDOM RUNS=50` looks for others. */
const RUNS = Number(process.env['RUNS'] ?? 5);
const SEED = Number(process.env['SEED'] ?? 20_260_301);

describe('a lake on S3', () => {
  it('equals the published file after each load, whatever happened in between, and a second load writes nothing', async () => {
    let loads = 0;
    await fc.assert(
      fc.asyncProperty(targetHistory, async (steps) => {
        const server = await startS3Server({ maxKeys: 3 });
        const broken = await runTargetHistory(steps, {
          config: createS3LakeConfig(server),
          findDifferences: (file) => {
            loads++;
            return findS3Differences(file, server);
          },
          countWrites: () => Promise.resolve(server.requests.filter(({ method }) => method !== 'GET').length),
        });
        await server.close();
        expect(broken).toEqual([]);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 480_000, seed: SEED },
    );
    expect(loads).toBeGreaterThanOrEqual(RUNS);
  });
});

/** Runs the given number of cases of the walk's model. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { onTestFinished } from 'vitest';
import { startAccountServer } from '../servers/changing-account.ts';
import { makeTemplate, openCase } from './walk-case.ts';
import { commands, runWalkCase, setup } from './walk-model.ts';

/** The timeout of the test: long enough to find the smallest case of a failure. */
export const MODEL_TIMEOUT_MS = 600_000;

/**
 * Runs random cases, the same ones for the same seed; throws fast-check's report of the smallest that
 * violates an invariant. To repeat one, take from that report: `VODHOUSE_SEED=… VODHOUSE_PATH=…
 * VODHOUSE_REPLAY=… npx vitest run test/sync/videos/model.test.ts` (VODHOUSE_REPLAY is its `replayPath`).
 * VODHOUSE_RUNS sets the number of cases.
 */
export async function runWalkCases(cases: number, seed: number): Promise<void> {
  const server = await startAccountServer();
  const folder = folderInMemory();
  const template = makeTemplate(folder);
  let count = 0;
  const property = fc.asyncProperty(setup, commands, async (given, all) => {
    const place = join(folder, `case-${++count}`);
    const one = openCase(server, template, place, given);
    try {
      await runWalkCase(one, all);
    } finally {
      await one.close();
      rmSync(place, { recursive: true, force: true });
    }
  });
  await fc.assert(property, fromEnvironment(cases, seed));
}

/**
 * A folder without the cost of fsync, if the system has one: fsync would take longer than the rest of a case.
 */
function folderInMemory(): string {
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(place, 'vodhouse-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function fromEnvironment(cases: number, defaultSeed: number): fc.Parameters<unknown> {
  const { VODHOUSE_SEED: seed, VODHOUSE_PATH: path, VODHOUSE_RUNS: runs } = process.env;
  return {
    numRuns: runs === undefined ? cases : Number(runs),
    // a failure is shrunk until then, and reported before the test times out
    plugins: [fc.interruptAfterTimeLimit(MODEL_TIMEOUT_MS - 30_000, { failOnInterrupt: true })],
    seed: Number(seed ?? defaultSeed),
    ...(path === undefined ? {} : { path }),
  };
}

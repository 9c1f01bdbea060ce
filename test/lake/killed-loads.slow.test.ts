import { cpSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { loadTarget } from '../../src/publishing/targets/load-target.ts';
import { digestLake, findHalfLoads } from '../support/fixtures/lake-digest.ts';
import { findLakeDifferences } from '../support/fixtures/lake-rows.ts';
import { createLakeConfig } from '../support/fixtures/target-config.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createTwoAccounts, TWO_ACCOUNTS } from '../support/models/two-accounts.ts';
import { HOLDER, loadInProcess, startLoadProcesses } from '../support/processes/load-process.ts';

vi.setConfig({ testTimeout: 400_000 });

const STATES = 20;
const KILLS_EACH = 5;
/** Short, so that loads sweep what loads before them left; a reader here is done with a load by then. */
const KEEP_MS = 3000;

it('a lake shows one whole load at any moment, while loads run, are killed and sweep', async () => {
  const accounts = createTwoAccounts();
  const root = temporaryFolder();
  const processes = startLoadProcesses(2);
  const request = (file: string, folder = root) => {
    const target = createLakeConfig(folder, { keepMs: KEEP_MS });
    return { target, file, holder: HOLDER, accounts: TWO_ACCOUNTS, verify: [], rebuild: [] };
  };
  const [half, kills, reads] = [[] as string[], { before: 0, between: 0, after: 0 }, { count: 0 }];
  for (let state = 0; state < STATES; state++) {
    await accounts.change();
    const file = await accounts.publish();
    const copy = temporaryFolder();
    cpSync(root, copy, { recursive: true });
    const startedAt = performance.now();
    await loadTarget(request(file, copy));
    const loadMs = performance.now() - startedAt;
    const [before, after] = [digestLake(root), digestLake(copy)];
    for (let kill = 0; kill <= KILLS_EACH; kill++) {
      const child = processes.take();
      const load = loadInProcess(child, request(file));
      const running = new Set([load]);
      void load.finally(() => running.clear());
      if (kill < KILLS_EACH) void setTimeout(loadMs * 1.2 * Math.random()).then(() => child.kill('SIGKILL'));
      while (running.size > 0) {
        half.push(...findHalfLoads(digestLake(root), before, after));
        reads.count++;
        await setTimeout(1);
      }
      await load;
      const found = digestLake(root);
      half.push(...findHalfLoads(found, before, after));
      const left = Object.keys(after).filter((owner) => found[owner] !== after[owner]).length;
      if (kill < KILLS_EACH)
        kills[left === 0 ? 'after' : left === Object.keys(after).length ? 'before' : 'between']++;
    }
    expect(half).toEqual([]);
    expect(digestLake(root)).toEqual(after);
    expect(await findLakeDifferences(file, root)).toEqual([]);
  }
  expect(reads.count).toBeGreaterThan(500);
  expect(kills.between).toBeGreaterThan(0);
});

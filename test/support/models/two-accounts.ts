/** A live file with two small accounts that change, and a published file of every state. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { publish } from '../../../src/publishing/publish.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { createVirtualClock } from '../clocks/virtual-clock.ts';
import { createWalker, EVERYTHING, video } from '../fixtures/package-walker.ts';
import { createPublishRequest } from '../fixtures/published-file.ts';
import { dayRow } from '../fixtures/storage-rows.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

export const TWO_ACCOUNTS = ['eu', 'us'];
const PACKAGES = [101, 102];
const VIDEOS = 30;

/** Changes both accounts and publishes them, again and again. The files go after the test. */
export function createTwoAccounts(random: () => number = Math.random) {
  const folder = temporaryFolder();
  const live = join(folder, 'live.db');
  const clock = createVirtualClock('2026-03-01T12:00Z');
  const warehouse = openWarehouse(live, clock);
  onTestFinished(() => warehouse.close());
  const packages = PACKAGES.map((id) => ({ id, name: null }));
  warehouse.registerPackages(
    TWO_ACCOUNTS.map((name) => ({ name, packages })),
    clock.now(),
  );
  let states = 0;

  /** New titles and tags for a third of the videos; a few of them are removed, or come back. */
  async function walk(account: string, packageId: number): Promise<void> {
    const key = { account, packageId };
    const walker = createWalker(warehouse, clock, key);
    const started = await walker.begin();
    const shown = Array.from({ length: VIDEOS }, (_, index) => index + 1).filter(() => random() < 0.95);
    const videos = shown.map((id) => {
      const state = random() < 0.3 ? states : 0;
      return video(id, { title: `Video "${id}" of ${account}, ${state}`, tag: `a${state},b` });
    });
    await walker.page(started, {
      videos,
      proof: EVERYTHING,
      checkpoint: { id: 1, totalcount: videos.length },
    });
    await walker.finish(started, { share: 1, minimum: 100 });
    warehouse.endRun(started.runId, {
      ...{ status: 'succeeded', now: clock.now(), error: null, failures: [], resumeAt: null },
      clock: { offsetMs: null, isMachineOff: false, isFileWrong: false, mayPrune: false },
      retention: { requestsDays: 7, runsDays: 90 },
    });
  }

  function storeDays(account: string): void {
    const today = new Date(clock.now() + 9 * 3_600_000).toISOString().slice(0, 10); // in Seoul
    const yesterday = new Date(clock.now() - 15 * 3_600_000).toISOString().slice(0, 10);
    warehouse.storeDays({
      ...{
        account,
        answeredAt: clock.now(),
        today,
        drift: [],
        givenUp: [],
        unconfirmed: [],
        missed: [],
        refused: [],
      },
      live: dayRow(today, 1000 + states),
      past: [dayRow(yesterday, 500)],
    });
  }

  return {
    live,
    file: join(folder, 'out.db'),
    /** Changes everything a little. */
    async change(): Promise<void> {
      states++;
      clock.advance(6 * 3_600_000);
      for (const account of TWO_ACCOUNTS) {
        for (const packageId of PACKAGES) await walk(account, packageId);
        storeDays(account);
      }
    },
    /** Publishes to `file`; returns the path of a copy that stays as it is. */
    async publish(): Promise<string> {
      const request = createPublishRequest(live, { now: clock.now(), storageAccounts: TWO_ACCOUNTS });
      await publish(request);
      const copy = join(folder, `state-${states}.db`);
      copyFileSync(request.file, copy);
      return copy;
    },
  };
}

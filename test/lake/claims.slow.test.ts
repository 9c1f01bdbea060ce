import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fromTimestamp, MINUTE_MS } from '../../src/lib/clock.ts';
import { openFolderStore } from '../../src/publishing/targets/lake/folder-store.ts';
import { readHead, readManifest } from '../../src/publishing/targets/lake/head.ts';
import { runErrand } from '../../src/publishing/targets/lake/errands.ts';
import { claimAccounts } from '../../src/publishing/targets/lake/leases.ts';
import { commit } from '../../src/publishing/targets/lake/pointer.ts';
import { openSource } from '../../src/publishing/targets/source.ts';
import { openLakeSite } from '../support/fixtures/lake-site.ts';
import { createLakeConfig } from '../support/fixtures/target-config.ts';

/** A site with a video in each account; everything is in the lake. */
async function openLoaded(accounts: readonly string[] = ['main']) {
  const site = openLakeSite();
  site.register([101], accounts);
  for (const account of accounts) await site.walk([1], {}, account);
  await site.ship();
  const source = openSource(site.file);
  onTestFinished(() => source.close());
  const claim = (names: readonly string[], holder = site.holder) =>
    claimAccounts({ target: createLakeConfig(site.root), holder, deadlineMs: 5000 }, source, names);
  /** The same in this process, whose clock a test can shift. */
  const claimHere = (names: readonly string[], holder = site.holder) => {
    const target = createLakeConfig(site.root);
    const warehouse = { warehouseId: source.warehouseId, timezone: source.timezone, origins: {} };
    const request = { target, place: target.place, holder, warehouse, accounts: names };
    return runErrand({ kind: 'claim', deadlineMs: 5000, ...request });
  };
  const readLease = () =>
    fromTimestamp((site.read(`workers/${site.holder.instance}.json`) as { lease_until: string }).lease_until);
  return Object.assign(site, { source, claim, claimHere, readLease });
}

/** Until the end of the test. */
function shiftClock(ms: number): void {
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + ms);
  onTestFinished(() => void vi.restoreAllMocks());
}

const OTHER = { worker: 'other', instance: 'instance-other' };

describe('claims in a lake', () => {
  it('renew the lease where the pointer of one account is damaged, and say so of that one', async () => {
    const site = await openLoaded(['main', 'second']);
    site.endLease();
    writeFileSync(join(site.root, 'latest/account=second.json'), '');
    expect(await site.claim(['main', 'second'])).toMatchObject([
      { result: 'claimed', account: 'main' },
      {
        result: 'failed',
        account: 'second',
        reason: expect.stringContaining('account=second.json') as string,
      },
    ]);
    expect(site.readLease()).toBeGreaterThan(Date.now() + 9 * MINUTE_MS);
    expect(await site.claim(['main'], OTHER)).toMatchObject([{ result: 'held' }]);
    await expect(site.claim(['second'])).rejects.toThrow(/account=second\.json/);
  });

  it.each([11, -11])(
    'go by the clock of the file system, not by one that is %i minutes ahead',
    async (minutes) => {
      const site = await openLoaded();
      const now = Date.now();
      await site.claimHere(['main']);
      shiftClock(minutes * MINUTE_MS);
      expect(await site.claimHere(['main'], OTHER)).toMatchObject([{ result: 'held' }]);
      await site.claimHere(['main']);
      expect(Math.abs(site.readLease() - now - 10 * MINUTE_MS)).toBeLessThan(MINUTE_MS);
    },
  );
});

describe('a folder that hangs', () => {
  it('makes claims fail by their deadline, and nothing else of the worker wait', async () => {
    const site = await openLoaded(['a', 'b', 'c', 'd', 'e', 'f']);
    for (const account of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const path = join(site.root, `latest/account=${account}.json`);
      rmSync(path);
      execFileSync('mkfifo', [path]); // whoever opens it waits, as for a file server that is gone
    }
    const before = listErrands();
    const claims = claimAccounts(
      { target: createLakeConfig(site.root), holder: site.holder, deadlineMs: 500 },
      site.source,
      ['a', 'b', 'c', 'd', 'e', 'f'],
    );
    await expect(claims).rejects.toThrow(`${site.root} did not answer for 0.5 s`);
    expect((await readFile(site.file)).byteLength).toBeGreaterThan(0);
    await expect.poll(listErrands).toEqual(before);
  });
});

/** The processes that work on folders, of all tests. */
function listErrands(): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => readCommand(pid).includes('errand-child'));
}

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

describe('a load that stood still while others loaded and swept', () => {
  it('is refused, and leaves the lists of files as they are', async () => {
    const site = await openLoaded();
    const store = openFolderStore(site.root);
    const lake = { options: createLakeConfig(site.root), store, holder: site.holder };
    const head = await readHead(lake, { account: 'main' });
    const manifest = head && (await readManifest(lake, head));
    if (!head || !manifest) throw new Error('there is no load');
    for (const ids of [
      [1, 2],
      [1, 2, 3],
      [1, 2, 3, 4],
      [1, 2, 3, 4, 5],
    ]) {
      await site.walk(ids);
      await sleep(20);
      await site.ship({ target: { keepMs: 1 } });
    }
    const list = join(site.root, 'symlink/videos/account=main/manifest');
    const before = readFileSync(list, 'utf8');
    await expect(commit(lake, head, { ...manifest, load: head.pointer.load + 1 })).rejects.toThrow(
      /account=main was loaded by eu-\d+ at .* UTC, while this worker loaded it/,
    );
    expect(readFileSync(list, 'utf8')).toBe(before);
    expect(await site.load()).toMatchObject({ main: { outcome: 'unchanged' } });
    expect(await site.differences()).toEqual([]);
  });
});

describe('a lake with a pointer that cannot be read', () => {
  it('is loaded by everybody else, and the lists keep the files of that account', async () => {
    const site = await openLoaded(['main', 'second']);
    const read = () => readFileSync(join(site.root, 'files/videos.txt'), 'utf8').split('\n');
    const theirs = read().filter((line) => line.includes('/account=second/'));
    expect(theirs).toHaveLength(1);
    writeFileSync(join(site.root, 'latest/account=second.json'), '{');
    await site.walk([1, 2]);
    await site.publish();
    expect(await site.load({ accounts: ['main'] })).toMatchObject({
      main: { outcome: 'loaded' },
      '(runs)': { outcome: 'loaded' },
    });
    expect(read()).toEqual(expect.arrayContaining(theirs));
    const [ours] = site.pointer().files['videos'] ?? [];
    expect(read()).toContain(join(site.root, ours ?? ''));
  });
});

describe('a pointer that is damaged', () => {
  it('is put back for a person who says --rebuild; one of a newer version stays', async () => {
    const site = await openLoaded();
    await site.walk([1, 2]);
    await site.publish();
    const path = join(site.root, 'latest/account=main.json');
    const whole = readFileSync(path, 'utf8');
    writeFileSync(path, whole.slice(0, 100));
    expect(await site.load()).toMatchObject({
      main: {
        outcome: 'failed',
        error: expect.stringContaining('latest/account=main.json is damaged') as string,
        hint: expect.stringContaining('--rebuild') as string,
      },
    });
    expect(await site.load({ rebuild: ['main'] })).toMatchObject({
      main: { outcome: 'loaded', verified: true },
    });
    expect(site.pointer().load).toBeGreaterThan((JSON.parse(whole) as { load: number }).load);
    expect(await site.differences()).toEqual([]);
    writeFileSync(path, whole.replace('"format": 1', '"format": 2'));
    expect(await site.load({ rebuild: ['main'] })).toMatchObject({
      main: { outcome: 'failed', error: expect.stringContaining('written by a newer version') as string },
    });
    expect(readFileSync(path, 'utf8')).toContain('"format": 2');
  });
});

describe('a warehouse of another time zone', () => {
  it('writes nothing into a lake', async () => {
    const site = await openLoaded();
    const other = openLakeSite({ root: site.root });
    other.register([101], ['second']);
    await other.walk([1], {}, 'second');
    await other.publish({ timezone: 'America/New_York' });
    const before = site.files('data');
    expect(await other.load({ accounts: ['second'] })).toMatchObject({
      second: { outcome: 'failed', error: expect.stringContaining('has the days of Asia/Seoul') as string },
    });
    expect(site.files('data')).toEqual(before);
    expect(site.files('latest').some((key) => key.includes('second'))).toBe(false);
  });
});

import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runDuckDbScript } from '../support/fixtures/lake-rows.ts';
import { openLakeSite } from '../support/fixtures/lake-site.ts';

const IDS = Array.from({ length: 3_000 }, (_, index) => index + 1);

/** What a reader sees of an account: rows of each table that go together. */
const toStateSql = (
  account: string,
) => `SELECT coalesce(sum(change_seq), 0)::VARCHAR AS seqs, sum(size_bytes)::VARCHAR AS bytes,
  count(*)::INTEGER AS videos, (SELECT count(*)::INTEGER FROM video_history WHERE account = '${account}') AS states,
  (SELECT count(*)::INTEGER FROM video_tags WHERE account = '${account}') AS tags,
  (SELECT sum(videos)::INTEGER FROM packages WHERE account = '${account}') AS listed,
  (SELECT count(*)::INTEGER FROM storage_daily WHERE account = '${account}' AND state = 'booked') AS days,
  (SELECT max(change_seq)::INTEGER FROM vodhouse_freshness WHERE account = '${account}') AS mark
FROM videos WHERE account = '${account}'`;

/** A reader of its own, as another process has one. */
async function openReader(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create();
  return instance.connect();
}

async function readState(db: DuckDBConnection, account = 'main'): Promise<string> {
  const read = await db.runAndReadAll(toStateSql(account));
  return JSON.stringify(read.getRowObjects()[0]);
}

describe('readers of a lake', () => {
  it('see one whole load of each account at any time, while accounts are loaded first, changed, loaded again, rebuilt and swept', async () => {
    const site = openLakeSite();
    site.register([101], ['main', 'second']);
    await site.walk([1]);
    await site.walk([1], {}, 'second');
    await site.ship();
    const [poller, witness] = [await openReader(), await openReader()];
    const seen = { main: new Set<string>(), second: new Set<string>() };
    const committed = { main: new Set<string>(), second: new Set<string>() };
    const note = async () => {
      await runDuckDbScript(site.root, witness);
      for (const account of ['main', 'second'] as const)
        committed[account].add(await readState(witness, account));
    };
    let isOver = false;
    const poll = async () => {
      while (!isOver) {
        await runDuckDbScript(site.root, poller);
        for (const account of ['main', 'second'] as const)
          seen[account].add(await readState(poller, account));
        await sleep(2);
      }
    };
    const polled = poll();
    const load = async (options: Parameters<typeof site.load>[0] = {}) => {
      expect((await site.load(options))['main']).toMatchObject({ outcome: 'loaded' });
      await note();
    };
    try {
      await note();
      await site.walk(IDS, { tag: 'a,b,c', filesize: 1000 });
      await site.walk(IDS, { tag: 'x', filesize: 10 }, 'second');
      site.book({ '2026-02-27': 10 });
      await site.publish();
      await load();
      await site.walk(IDS.slice(500), { tag: 'a,d', filesize: 2000 });
      site.book({ '2026-02-28': 20 });
      await site.publish();
      await load();
      await site.publish({ durationUnit: 's' });
      await load(); // everything again
      await load({ rebuild: ['main'] });
    } finally {
      isOver = true;
      await polled;
    }
    for (const account of ['main', 'second'] as const) {
      expect([...seen[account]].filter((state) => !committed[account].has(state))).toEqual([]);
      expect(seen[account].size).toBeGreaterThan(1);
    }
    expect(committed.main.size).toBeGreaterThan(2);
  });

  it('that began before later loads and a sweep finish within keep; later they run the script again', async () => {
    const site = openLakeSite();
    site.register();
    await site.walk(IDS.slice(0, 100), { tag: 'a' });
    await site.ship();
    const reader = await openReader();
    await runDuckDbScript(site.root, reader);
    const before = await readState(reader);
    for (const title of ['one', 'two', 'three']) {
      await site.walk(IDS.slice(0, 100), { title, tag: `a,${title}` });
      await site.ship();
      expect(await readState(reader)).toBe(before);
    }
    await site.walk(IDS.slice(0, 50));
    await site.ship({ target: { keepMs: 0 } });
    await expect(readState(reader)).rejects.toThrow(/No files found|cannot open|No such file/i);
    await runDuckDbScript(site.root, reader);
    const after = JSON.parse(await readState(reader)) as Record<string, number>;
    expect(after).toMatchObject({ videos: 100, states: 400, listed: 50 });
  });
});

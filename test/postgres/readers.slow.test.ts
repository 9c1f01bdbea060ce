import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { openPostgresSite } from '../support/fixtures/postgres-site.ts';
import { findPostgres, postgresForTests } from '../support/servers/postgres.ts';
import { transact } from '../../src/database/transaction.ts';
import { renameAccount } from '../../src/warehouse/accounts.ts';

const IDS = Array.from({ length: 3_000 }, (_, index) => index + 1);

/** What a reader sees in one statement: what was loaded, and rows of each table that go with it. */
const STATE = `SELECT (SELECT string_agg(DISTINCT account, ' ') FROM $.vodhouse_account) AS accounts,
  (SELECT string_agg(DISTINCT account, ' ') FROM $.all_videos) AS names, (SELECT sum(change_seq) FROM $.vodhouse_account) AS seq,
  (SELECT count(*) FROM $.all_videos) AS videos, (SELECT sum(change_seq) FROM $.all_videos) AS seqs,
  (SELECT sum(size_bytes) FROM $.all_videos) AS bytes, (SELECT count(*) FROM $.video_history) AS states,
  (SELECT count(*) FROM $.video_tags) AS tags, (SELECT sum(video_count) FROM $.packages) AS listed,
  (SELECT count(*) FROM $.storage_daily) AS days, (SELECT sum(added_count) FROM $.package_daily) AS added`;

describe.skipIf(findPostgres() === null)('readers of a target', () => {
  const server = postgresForTests();

  /** Reads again and again until it is stopped. The different states in the order in which they were seen. */
  async function poll(schema: string, until: () => boolean): Promise<string[]> {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query('SET lock_timeout = 1000'); // no reader waits for a lock
    const seen: string[] = [];
    try {
      while (!until()) {
        const { rows } = await client.query(STATE.replaceAll('$', schema));
        const state = JSON.stringify(rows[0]);
        if (seen.at(-1) !== state) seen.push(state);
        await sleep(2);
      }
      return seen;
    } finally {
      await client.end();
    }
  }

  it('see the rows before a load or those after it, while an account is loaded, changed, rebuilt and renamed', async () => {
    const site = openPostgresSite(server);
    site.register();
    await site.walk([1]);
    await site.ship();
    const committed = [JSON.stringify((await site.query(STATE))[0])];
    let isOver = false;
    const polled = poll(site.schema, () => isOver);
    const ship = async (options: Parameters<typeof site.ship>[0], account = 'main') => {
      expect(await site.ship(options)).toMatchObject({ [account]: { outcome: 'loaded' } });
      committed.push(JSON.stringify((await site.query(STATE))[0]));
    };
    try {
      await site.walk(IDS, { tag: 'a,b,c', filesize: 1000 });
      site.book({ '2026-02-27': 10 });
      await ship({});
      await site.walk(IDS.slice(500), { tag: 'a,d', filesize: 2000 });
      site.book({ '2026-02-28': 20 });
      await ship({});
      await ship({ force: { account: 'main', kind: 'rebuild' } });
      transact(site.warehouse.db, (tx) => renameAccount(tx, 'main', 'other'));
      site.register([101], ['other']);
      await ship({ was: { other: 'main' } }, 'other');
    } finally {
      isOver = true;
    }
    const seen = await polled;
    expect(seen.filter((state) => !committed.includes(state))).toEqual([]);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.at(-1)).toContain('"accounts":"other","names":"other"');
    expect(await site.differences()).toEqual([]);
  });
});

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTargetSite } from '../support/fixtures/target-site.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

const IDS = Array.from({ length: 3_000 }, (_, index) => index + 1);

describe.skipIf(findPostgres() === null)('readers of a target', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  /** What a reader sees of an account in one statement: the mark, and rows of each table that go with it. */
  const STATE = `SELECT coalesce((SELECT change_seq FROM $.vodhouse_account), 0) AS mark, (SELECT load_id FROM $.vodhouse_account) AS load,
    (SELECT count(*) FROM $.videos) AS videos, (SELECT coalesce(sum(change_seq), 0) FROM $.videos) AS seqs,
    (SELECT coalesce(sum(size_bytes), 0) FROM $.videos) AS bytes, (SELECT count(*) FROM $.video_history) AS states,
    (SELECT count(*) FROM $.video_tags) AS tags, (SELECT sum(videos) FROM $.packages) AS listed,
    (SELECT count(*) FROM $.storage_daily) AS days`;

  /** Reads every few milliseconds until it is told to end. The different states, in the order in which they were seen. */
  async function poll(schema: string, sql: string, until: () => boolean): Promise<string[]> {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query('SET statement_timeout = 30000; SET lock_timeout = 1000'); // no reader waits for a lock
    const seen: string[] = [];
    try {
      while (!until()) {
        const { rows } = await client.query(sql.replaceAll('$', schema));
        const state = JSON.stringify(rows[0]);
        if (seen.at(-1) !== state) seen.push(state);
        await sleep(2);
      }
      return seen;
    } finally {
      await client.end();
    }
  }

  it('see whole states only, while an account is loaded first, changed, loaded again and rebuilt', async () => {
    const site = openTargetSite(server);
    site.register();
    await site.walk([1]);
    await site.ship(); // the tables
    const committed = [await site.query(STATE)];
    let isOver = false;
    const polled = poll(site.schema, STATE, () => isOver);
    const ship = async (options: Parameters<typeof site.load>[0] = {}) => {
      expect((await site.load(options))['main']).toMatchObject({ outcome: 'loaded' });
      committed.push(await site.query(STATE));
    };
    try {
      await site.walk(IDS, { tag: 'a,b,c', filesize: 1000 });
      site.book({ '2026-02-27': 10 });
      await site.publish();
      await ship();
      await site.walk(IDS.slice(500), { tag: 'a,d', filesize: 2000 });
      site.book({ '2026-02-28': 20 });
      await site.publish();
      await ship();
      await site.publish({ durationUnit: 's' });
      await ship(); // everything again
      await site.query(`UPDATE $.vodhouse_account SET status = 'unverified'`);
      await ship();
      await ship({ rebuild: ['main'] });
    } finally {
      isOver = true;
    }
    const whole = committed.map(([state]) => JSON.stringify(state));
    const seen = await polled;
    expect(seen.filter((state) => !whole.includes(state))).toEqual([]);
    expect(seen.length).toBeGreaterThan(3);
  });

  it('see nothing of an account before its first load is complete', async () => {
    const site = openTargetSite(server);
    site.register([101], ['other']);
    await site.walk([1], {}, 'other');
    await site.ship();
    const sql = `SELECT (SELECT count(*) FROM $.videos WHERE account = 'main') AS videos,
      (SELECT count(*) FROM $.video_tags WHERE account = 'main') AS tags, (SELECT load_id IS NOT NULL FROM $.vodhouse_account WHERE account = 'main') AS loaded`;
    site.register([101], ['main', 'other']);
    await site.walk(IDS, { tag: 'a,b' });
    await site.publish();
    let isOver = false;
    const polled = poll(site.schema, sql, () => isOver);
    try {
      expect((await site.load())['main']).toMatchObject({ outcome: 'loaded' });
    } finally {
      await sleep(20);
      isOver = true;
    }
    const whole = { videos: String(IDS.length), tags: String(2 * IDS.length), loaded: true };
    for (const state of await polled)
      expect([
        { videos: '0', tags: '0', loaded: null },
        { videos: '0', tags: '0', loaded: false },
        whole,
      ]).toContainEqual(JSON.parse(state));
  });

  it('get right values by psql and pg, in any time zone', async () => {
    const site = openTargetSite(server);
    site.register();
    const members = {
      ...{ title: 'a\n"b",\\.', filesize: 2 ** 52, duration: 90_500, v_framerate: 0.1 },
      ...{ cdate: '2026-02-28 23:30:00.5', content: '', author: null },
    };
    await site.walk([Number.MAX_SAFE_INTEGER], members);
    site.book({ '2026-02-28': 20 });
    await site.ship();
    const columns =
      'video_id, title, size_bytes, duration_seconds, frames_per_second, is_removed, first_seen_at, created_at, created_day, description';
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query(`SET timezone = 'America/New_York'`);
    const { rows } = await client.query(`SELECT ${columns} FROM ${site.schema}.videos`);
    await client.end();
    expect(rows).toEqual([
      {
        ...{ video_id: '9007199254740991', title: 'a\n"b",\\.', size_bytes: '4503599627370496' },
        ...{ duration_seconds: 90.5, frames_per_second: 0.1, is_removed: false, description: null },
        ...{ first_seen_at: new Date('2026-03-01T12:01:00Z'), created_at: new Date(2026, 1, 28, 23, 30) },
        created_day: new Date(2026, 1, 28),
      },
    ]);
    const psql = (sql: string) =>
      execFileSync(join(findPostgres() ?? '', 'psql'), [site.url, '-X', '-At', '-F', '|', '-c', sql], {
        encoding: 'utf8',
        env: { ...process.env, PGTZ: 'Asia/Seoul' },
      }).trim();
    expect(
      psql(
        `SELECT size_bytes, is_removed, first_seen_at, created_at, created_day FROM ${site.schema}.videos`,
      ),
    ).toBe('4503599627370496|f|2026-03-01 21:01:00+09|2026-02-28 23:30:00|2026-02-28');
    expect(
      psql(`SELECT day, state, original_video_count, total_gib = total_bytes / 1073741824.0 FROM ${site.schema}.storage_daily
      WHERE state = 'booked'`),
    ).toBe('2026-02-28|booked|20|t');
  });
});

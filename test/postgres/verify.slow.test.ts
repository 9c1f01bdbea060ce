import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresSite } from '../support/fixtures/postgres-site.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

describe.skipIf(findPostgres() === null)('the comparison of every value', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  async function openLoaded() {
    const site = openPostgresSite(server);
    site.register([9, 101, 1000]);
    const awkward = {
      title: 'a\n"b",\\.\r',
      tag: 'a,\0,b',
      author: ' ',
      v_framerate: 29.97,
      duration: 60_000,
    };
    for (const id of [9, 101, 1000]) await site.walk([1, 2, 3], awkward, 'main', id);
    await site.walk([1, 3, 4], { title: 'other' }, 'main', 101);
    site.book({ '2026-02-27': 10, '2026-02-28': 20 });
    site.correct('2026-02-27', 11);
    await site.ship();
    expect(await site.verify()).toEqual([]);
    return site;
  }

  const DAMAGES: readonly [what: string, sql: string, found: RegExp[]][] = [
    [
      'swapped texts',
      `UPDATE $.videos v SET title = o.title FROM $.videos o WHERE v.package_key = 'main/101' AND o.package_key = 'main/101' AND v.video_id + o.video_id = 3`,
      [
        /^videos main\/101\/1: title is 'a\?"b",\\\.\?' in the target, 'other' in the file$/,
        /^videos main\/101\/2: title is 'other' in/,
      ],
    ],
    [
      'a changed time',
      `UPDATE $.videos SET first_seen_at = first_seen_at + interval '1 second' WHERE package_key = 'main/9' AND video_id = 2`,
      [
        /^videos main\/9\/2: first_seen_at is '2026-03-01 12:0\d:\d\d' in the target, '2026-03-01 12:0\d:\d\d' in the file$/,
      ],
    ],
    [
      'fractions of a number',
      `UPDATE $.videos SET frames_per_second = 29.970000000000002 WHERE package_key = 'main/9' AND video_id = 2`,
      [/^videos main\/9\/2: frames_per_second is '29.970000000000002' in the target, '29.97' in the file$/],
    ],
    [
      'a column without values',
      `UPDATE $.storage_daily SET total_bytes = NULL`,
      [
        /^storage_daily main, 2026-02-27: total_bytes is NULL in the target, '\d+' in the file$/,
        /02-28/,
        /03-01/,
      ],
    ],
    [
      'an empty text in place of none',
      `UPDATE $.videos SET description = '' WHERE package_key = 'main/9' AND video_id = 1`,
      [/^videos main\/9\/1: description is '' in the target, NULL in the file$/],
    ],
    [
      'missing rows',
      `DELETE FROM $.storage_daily WHERE day = '2026-03-01'; DELETE FROM $.videos WHERE package_key = 'main/1000' AND video_id = 3; DELETE FROM $.video_history WHERE video_id = 2`,
      [
        /^videos main\/1000\/3 is missing in the target$/,
        /^video_history main\/101\/2, \d+ is missing in the target$/,
        /^storage_daily main, 2026-03-01 is missing in the target$/,
      ],
    ],
    [
      'extra rows',
      `INSERT INTO $.videos (video_key, package_key, account, video_id, change_seq) VALUES ('main/7/1', 'main/7', 'main', 1, 1), ('main/101/99', 'main/101', 'main', 99, 1);
INSERT INTO $.packages (package_key, account, package_id) VALUES ('main/10', 'main', 10)`,
      [
        /^videos main\/101\/99 is not in the file$/,
        /^videos main\/7\/1 is not in the file$/,
        /^packages main\/10 is not in the file$/,
      ],
    ],
    [
      'another tag, and one twice',
      `UPDATE $.video_tags SET tag = 'c' WHERE video_key = 'main/9/1' AND tag = 'b';
INSERT INTO $.video_tags SELECT * FROM $.video_tags WHERE video_key = 'main/1000/2' AND tag = 'a'`,
      [
        /^video_tags main\/9\/1, b is missing in the target$/,
        /^video_tags main\/1000\/2, a is not in the file$/,
        /^video_tags main\/9\/1, c is not in the file$/,
      ],
    ],
  ];

  it.each(DAMAGES)('finds %s, and a rebuild mends it', async (_, damage, patterns) => {
    const site = await openLoaded();
    await site.query(damage);
    const found = await site.verify();
    expect(found).toEqual(patterns.map((pattern) => expect.stringMatching(pattern) as string));
    expect(await site.load({ force: { main: 'rebuild' } })).toMatchObject({ main: { kind: 'all' } });
    expect(await site.verify()).toEqual([]);
    expect(await site.differences()).toEqual([]);
  });

  it('ends after ten differences', async () => {
    const site = openPostgresSite(server);
    site.register();
    const ids = Array.from({ length: 5_000 }, (_, index) => index + 1);
    await site.walk(ids, { description: 'x'.repeat(500) });
    await site.ship();
    await site.query(`UPDATE $.videos SET title = 'wrong' WHERE video_id > 4`);
    const found = await site.verify();
    expect(found).toEqual(
      Array.from(
        { length: 10 },
        () => expect.stringMatching(/^videos main\/101\/\d+: title is 'wrong'/) as string,
      ),
    );
    expect(await site.load()).toMatchObject({ main: { kind: 'nothing' } });
  });

  it('says that a load comes first where the target has another state', async () => {
    const site = await openLoaded();
    await site.walk([1, 2], { title: 'new' }, 'main', 101);
    await site.publish();
    await expect(site.verify()).rejects.toThrow('the target has another state of account main');
    await site.load();
    expect(await site.verify()).toEqual([]);
    await expect(site.verify('unknown')).rejects.toThrow('the target has another state of account unknown');
  });
});

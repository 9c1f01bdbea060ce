import { describe, expect, it } from 'vitest';
import { openPostgresTarget } from '../../src/publishing/targets/postgres/postgres-target.ts';
import { openSource } from '../../src/publishing/targets/source.ts';
import { openPostgresSite } from '../support/fixtures/postgres-site.ts';
import { findPostgres, postgresForTests } from '../support/servers/postgres.ts';

const REBUILD = { force: { account: 'main', kind: 'rebuild' } } as const;

describe.skipIf(findPostgres() === null)('the comparison of every value', () => {
  const server = postgresForTests();

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

  /** What is done to the target, and the beginning of each difference that is found then. */
  const DAMAGES: readonly [what: string, sql: string, found: string[]][] = [
    [
      'swapped texts',
      `UPDATE $.all_videos v SET title = o.title FROM $.all_videos o WHERE v.package_key = 'main/101' AND o.package_key = 'main/101' AND v.video_id + o.video_id = 3`,
      [
        `all_videos main/101/1: title is 'a\n"b",\\.\r' in the target, 'other'`,
        'all_videos main/101/2: title is ',
      ],
    ],
    [
      'a changed time',
      `UPDATE $.all_videos SET first_seen_at = first_seen_at + interval '1 second' WHERE video_key = 'main/9/2'`,
      ['all_videos main/9/2: first_seen_at is '],
    ],
    [
      'fractions of a number',
      `UPDATE $.all_videos SET frames_per_second = 29.970000000000002 WHERE video_key = 'main/9/2'`,
      [`all_videos main/9/2: frames_per_second is '29.970000000000002' in the target, '29.97'`],
    ],
    [
      'a column without values',
      `UPDATE $.storage_daily SET total_bytes = NULL`,
      ['2026-02-27', '2026-02-28', '2026-03-01'].map(
        (day) => `storage_daily main, ${day}: total_bytes is NULL`,
      ),
    ],
    [
      'an empty text in place of none',
      `UPDATE $.all_videos SET description = '' WHERE video_key = 'main/9/1'`,
      [`all_videos main/9/1: description is '' in the target, NULL`],
    ],
    [
      'missing rows',
      `DELETE FROM $.storage_daily WHERE day = '2026-03-01'; DELETE FROM $.all_videos WHERE video_key = 'main/1000/3'; DELETE FROM $.video_history WHERE video_id = 2`,
      ['all_videos main/1000/3', 'video_history main/101/2, 1', 'storage_daily main, 2026-03-01'].map(
        (key) => `${key} is missing`,
      ),
    ],
    [
      'extra rows',
      `INSERT INTO $.all_videos (video_key, package_key, account, video_id, change_seq) VALUES ('main/7/1', 'main/7', 'main', 1, 1), ('main/101/99', 'main/101', 'main', 99, 1);
INSERT INTO $.packages (package_key, account, package_id) VALUES ('main/10', 'main', 10)`,
      ['all_videos main/101/99', 'all_videos main/7/1', 'packages main/10'].map(
        (key) => `${key} is not in the file`,
      ),
    ],
    [
      'another tag, and one more',
      `UPDATE $.video_tags SET tag = 'c' WHERE video_key = 'main/9/1' AND tag = 'b';
INSERT INTO $.video_tags (tag, video_key) VALUES ('d', 'main/1000/2')`,
      [
        'video_tags b, main/9/1 is missing',
        'video_tags c, main/9/1 is not in the file',
        'video_tags d, main/1000/2 is not in the file',
      ],
    ],
  ];

  it('finds each difference, and a rebuild mends it', async () => {
    const site = await openLoaded();
    for (const [what, damage, expected] of DAMAGES) {
      await site.query(damage);
      const found = (await site.verify()) ?? [];
      const beginnings = found.map((difference, index) => difference.slice(0, expected[index]?.length));
      expect([what, beginnings]).toEqual([what, expected]);
      expect(await site.load(REBUILD)).toMatchObject({ main: { outcome: 'loaded' } });
      expect([what, await site.verify()]).toEqual([what, []]);
    }
    expect(await site.differences()).toEqual([]);
  });

  it.each([
    [
      'one',
      [
        "extra_float_digits = '0'",
        "datestyle = 'SQL, DMY'",
        "timezone = 'Asia/Seoul'",
        "intervalstyle = 'sql_standard'",
        "bytea_output = 'escape'",
        "standard_conforming_strings = 'off'",
        "client_encoding = 'LATIN1'",
        'search_path = odd, pg_catalog',
      ],
    ],
    [
      'two',
      [
        "extra_float_digits = '-15'",
        "datestyle = 'Postgres, MDY'",
        "default_transaction_read_only = 'on'",
        "default_transaction_isolation = 'serializable'",
      ],
    ],
  ])('finds none where the role has settings of its own (%s)', async (role, settings) => {
    await server.query(`CREATE SCHEMA IF NOT EXISTS odd;
CREATE OR REPLACE FUNCTION odd.count(text) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
CREATE OR REPLACE FUNCTION odd.now() RETURNS timestamptz LANGUAGE sql AS 'SELECT NULL::timestamptz';
GRANT ALL ON SCHEMA odd TO PUBLIC;
CREATE ROLE "${role}" SUPERUSER LOGIN;
${settings.map((setting) => `ALTER ROLE "${role}" SET ${setting}`).join(';\n')}`);
    const site = openPostgresSite(server, { url: server.url.replace('postgres@', `${role}@`) });
    site.register();
    await site.walk([1, 2, 3], { title: '한글 \\ \u{1F600}', v_framerate: 1 / 3, duration: 60_000 });
    site.book({ '2026-02-28': 20 });
    for (const title of ['one', 'two']) {
      await site.walk([1], { title, v_framerate: 23.976023976023978 });
      expect(await site.ship()).toMatchObject({ main: { error: null }, '(runs)': { error: null } });
      expect(await site.verify()).toEqual([]);
    }
    expect(await openPostgresTarget(site.config, '').countVideos('main')).toBe(3);
  });

  it('ends after ten differences', async () => {
    const site = openPostgresSite(server);
    site.register();
    const ids = Array.from({ length: 5_000 }, (_, index) => index + 1);
    await site.walk(ids, { description: 'x'.repeat(500) });
    await site.ship();
    await site.query(`UPDATE $.all_videos SET title = 'wrong' WHERE video_id > 4`);
    const found = await site.verify();
    expect(found).toEqual(
      Array.from(
        { length: 10 },
        () => expect.stringMatching(/^all_videos main\/101\/\d+: title is 'wrong'/) as string,
      ),
    );
  });

  it('says that a load comes first where the target has another state', async () => {
    const site = await openLoaded();
    await site.walk([1, 2], { title: 'new' }, 'main', 101);
    await site.publish();
    const source = openSource(site.file);
    const verifying = openPostgresTarget(site.config, '').verify(source, 'main');
    await expect(verifying).rejects.toThrow('the target has another state of account main');
    source.close();
  });
});

/** U+0000: SQLite's shell, ODBC and CSV end a text there. */
import { describe, expect, it } from 'vitest';
import {
  change,
  insert,
  liveFileWith,
  packageRow,
  storageRow,
  videoRow,
} from '../support/fixtures/filled-live-file.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { published } from '../support/fixtures/published-file.ts';

const TEXTS =
  'cid access_key org_access_key title series author content tag copyright rate etc thumbnail_url thumbnail_sheet_url encoding_success drm_cid opt preloading';

/** The SQL of a statement with U+0000 in its texts: it would end there. */
const withNul = (sql: string) => sql.replaceAll('\0', `' || char(0) || '`);

function liveFileOf(row: Record<string, string>): string {
  const run = {
    run_id: 1,
    trigger: 'manual',
    mode: 'full',
    status: 'failed',
    started_at: '2026-03-10 00:00:00',
  };
  const walk = { origin_started_at: run.started_at, account: 'main', package_id: 101, status: 'failed' };
  const statements = [
    packageRow(101, { name: 'a\0name' }),
    videoRow(1, row),
    change(1, '2026-03-02 00:00:00', `duration = 1`),
    insert('run', { ...run, error: 'run\0' }),
    insert('walk', { ...walk, run_id: 1, mode: 'full', started_at: run.started_at, error: '\0walk' }),
    storageRow('2026-03-06', 5),
    storageRow('2026-03-08', 5),
    insert('quarantine', {
      account: 'main',
      stream: 'storage',
      record_id: '2026-03-07',
      raw: '{}',
      reason: 'a\0b: not a number',
      seen_at: '2026-03-08 00:00:00',
    }),
    insert('storage_gap', {
      account: 'main',
      date: '2026-03-07',
      first_missed_at: '2026-03-08 00:00:00',
      last_requested_at: '2026-03-08 00:00:00',
      reason: 'incomplete',
    }),
  ];
  return liveFileWith(...statements.map(withNul));
}

describe('U+0000', () => {
  it('is U+FFFD in every text of every published table and view, and stays in the live file', async () => {
    const row = Object.fromEntries(TEXTS.split(' ').map((name) => [name, `${name}\0,\0 b\0`]));
    const live = liveFileOf({ ...row, extra: JSON.stringify({ 'na\0me': ['\0', { deep: 'x\0y' }] }) });
    const { select } = await published(live, { exclude: [] });
    const names = select("select name from sqlite_schema where type in ('table', 'view')");
    for (const name of names.map((each) => String(each['name'])))
      expect([name, JSON.stringify(select(`select * from "${name}"`))]).toEqual([
        name,
        expect.not.stringMatching(/\\u0000/),
      ]);
    expect(select('select * from videos')).toMatchObject([
      {
        package_name: 'a\ufffdname',
        title: 'title\ufffd,\ufffd b\ufffd',
        author: 'author\ufffd,\ufffd b\ufffd',
      },
    ]);
    expect(select('select tag from video_tags order by tag')).toEqual([
      { tag: 'tag\ufffd' },
      { tag: '\ufffd b\ufffd' },
    ]);
    expect(select('select error from runs union all select error from walks')).toEqual([
      { error: 'run\ufffd' },
      { error: '\ufffdwalk' },
    ]);
    expect(readRows(live, 'select title, extra from video')).toEqual([
      { title: row['title'], extra: JSON.stringify({ 'na\0me': ['\0', { deep: 'x\0y' }] }) },
    ]);
  });

  it('is U+FFFD in what JSON functions read from other_fields; a backslash before u0000 stays', async () => {
    const extra = { one: 'a\0', two: 'C:\\u0000\\', 'k\0': '\\\0' };
    const live = liveFileOf({ cid: 'c\0\\u0000"', extra: JSON.stringify(extra) });
    const { select } = await published(live);
    const [row] = select('select other_fields from videos');
    expect(JSON.parse(String(row?.['other_fields']))).toEqual({
      cid: 'c\ufffd\\u0000"',
      one: 'a\ufffd',
      two: 'C:\\u0000\\',
      'k\ufffd': '\\\ufffd',
    });
    expect(select(`select other_fields ->> 'one' as one, other_fields ->> 'two' as two from videos`)).toEqual(
      [{ one: 'a\ufffd', two: 'C:\\u0000\\' }],
    );
  });

  it('alone is a text, and makes no second tag of one that has U+FFFD', async () => {
    const { select } = await published(
      liveFileOf({ title: '\0', tag: 'a\0,a\ufffd;\0', content: '\\u0000' }),
    );
    expect(select('select title, description from videos')).toEqual([
      { title: '\ufffd', description: '\\u0000' },
    ]);
    expect(select('select tag from video_tags order by tag')).toEqual([
      { tag: 'a\ufffd' },
      { tag: '\ufffd' },
    ]);
  });
});

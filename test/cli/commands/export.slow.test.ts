import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { commandFolder, NOWHERE } from '../../support/fixtures/command-folder.ts';
import { change, liveFileWith, packageRow, videoRow } from '../../support/fixtures/filled-live-file.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { published } from '../../support/fixtures/published-file.ts';

/** A folder with a config, and the published file of three videos, one of them edited and one removed. */
async function folderWithFile() {
  const folder = commandFolder({ url: NOWHERE, top: 'publish: { file: bi.db }' });
  const live = liveFileWith(
    packageRow(101),
    videoRow(1, { title: 'a "quoted", text' }),
    videoRow(2),
    videoRow(3, { title: null }),
    change(1, '2026-03-02 00:00:00', `filesize = 9007199254740991`),
    change(3, '2026-03-02 00:00:00', `removed_at = '2026-03-02 00:00:00'`),
  );
  /** Publishes these changes. */
  const publish = async (statements = '') => {
    execute(
      live,
      `${statements}; update warehouse_state set change_seq = (select max(change_seq) from video)`,
    );
    renameSync((await published(live)).file, join(folder.cwd, 'bi.db'));
  };
  await publish();
  return {
    ...folder,
    publish,
    exported: (...words: string[]) => folder.run('export', ...words),
    read: (name: string) => readFileSync(join(folder.cwd, name), 'utf8'),
    listDrafts: () => readdirSync(folder.cwd).filter((name) => name.includes('.new-')),
  };
}

const parseLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number>);

describe('vodhouse export', () => {
  it('writes CSV, NDJSON and Parquet of the same rows', async () => {
    const { cwd, exported, read } = await folderWithFile();
    for (const format of ['csv', 'ndjson', 'parquet']) {
      const words = ['--table', 'all_videos', '--out', `out.${format}`];
      const { code, stdout, stderr } = await exported(...words);
      expect([code, stdout]).toEqual([0, '']);
      expect(stderr).toMatch(/^wrote 3 rows of all_videos to out\.\w+ \(.+\)\n$/);
    }
    expect(parseLines(read('out.ndjson'))).toMatchObject([
      { video_id: 1, title: 'a "quoted", text', size_bytes: 9007199254740991, is_removed: false },
      { video_id: 2, is_removed: false, removed_at: null },
      { video_id: 3, title: null, is_removed: true, removed_at: '2026-03-02 00:00:00' },
    ]);
    const csv = parse<Record<string, string>>(read('out.csv'), { columns: true });
    expect(csv).toMatchObject([
      { video_id: '1', title: 'a "quoted", text', is_removed: '0' },
      { video_id: '2', title: 'Video 2', is_removed: '0' },
      { video_id: '3', title: '', is_removed: '1' },
    ]);
    const bytes = readFileSync(join(cwd, 'out.parquet'));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    expect(await parquetReadObjects({ file })).toMatchObject([
      { video_id: 1n, title: 'a "quoted", text', size_bytes: 9007199254740991n, is_removed: false },
      { video_id: 2n },
      { video_id: 3n, is_removed: true },
    ]);
  });

  it('takes --format before the ending of the name, in any case', async () => {
    const { exported, read } = await folderWithFile();
    expect((await exported('--format', 'ndjson', '--out', 'out.csv')).code).toBe(0);
    expect((await exported('--out', 'OUT.NDJSON')).code).toBe(0);
    expect(read('out.csv')).toBe(read('OUT.NDJSON'));
  });

  it('prints what the rows belong to, and writes to stdout', async () => {
    const { json, exported } = await folderWithFile();
    const versions = ['export', '--format', 'ndjson', '--table', 'video_versions', '--out', 'all.ndjson'];
    expect(await json(...versions)).toMatchObject({ rows: 5, change_seq: expect.any(Number) as number });
    const { stdout, stderr } = await exported('--format', 'csv', '--table', 'packages', '--out', '-');
    expect(stdout.split('\n').length).toBe(3);
    expect(stderr).toBe('wrote 1 row of packages\n');
  });

  it.each<[number, string, string[]]>([
    [2, 'xlsx', ['--format', 'xlsx', '--out', 'x']],
    [2, '--out', ['--format', 'csv']],
    [2, '--out v.csv.gz names no format', ['--out', 'v.csv.gz']],
    [2, '--out - names no format', ['--out', '-']],
    [2, 'add --format parquet, csv or ndjson', ['--all', '--out', 'v.csv']],
    [2, 'stdout', ['--format', 'csv', '--json', '--out', '-']],
    [2, 'nothing that is published is named vidoes', ['--format', 'csv', '--table', 'vidoes', '--out', 'x']],
    [2, 'no file', ['--format', 'csv', '--out', '.']],
    [1, 'ENOENT', ['--format', 'csv', '--out', 'none/x.csv']],
  ])('ends with %i and the reason: %s', async (code, message, words) => {
    const { exported, listDrafts } = await folderWithFile();
    const stderr = expect.stringContaining(message) as string;
    expect(await exported(...words)).toMatchObject({ code, stdout: '', stderr });
    expect(listDrafts()).toEqual([]);
  });

  it('leaves the file of an earlier export where it cannot be replaced, and its permissions', async () => {
    const { cwd, write, exported, read } = await folderWithFile();
    write('earlier', 'kept.csv');
    chmodSync(join(cwd, 'kept.csv'), 0o640);
    mkdirSync(join(cwd, 'away'));
    renameSync(join(cwd, 'bi.db'), join(cwd, 'away/bi.db'));
    const words = ['--format', 'csv', '--out', 'kept.csv'];
    const stderr = expect.stringContaining('there is no published file') as string;
    expect(await exported(...words)).toMatchObject({ code: 1, stderr });
    expect(read('kept.csv')).toBe('earlier');
    expect((await exported('--file', 'away/bi.db', ...words)).code).toBe(0);
    expect(statSync(join(cwd, 'kept.csv')).mode & 0o777).toBe(0o640);
  });

  it.runIf(existsSync('/dev/full'))('prints in one line that stdout cannot be written', async () => {
    const { cwd } = await folderWithFile();
    const command = `"${process.execPath}" "${resolve('bin/vodhouse.js')}" export --format csv --out - > /dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, 'vodhouse: stdout cannot be written: the disk is full\n']);
  });

  it('that is stopped in the middle ends with 130 and leaves the file as it was', async () => {
    const { cwd, publish, write, start, read, listDrafts } = await folderWithFile();
    await publish(
      `with recursive n(id) as (select 10 union all select id + 1 from n where id < 80000)
insert into video (account, package_id, id, title, content, first_seen_at, changed_at, change_seq)
select 'main', 101, id, 'title ' || id, hex(zeroblob(300)), '2026-03-01 03:00:00', '2026-03-01 03:00:00', 1000 + id from n`,
    );
    write('earlier', 'out.parquet');
    const child = start('export', '--format', 'parquet', '--out', 'out.parquet');
    await expect.poll(() => existsSync(join(cwd, `out.parquet.new-${child.pid}`))).toBe(true);
    child.kill('SIGTERM');
    expect(await child.ended).toMatchObject({ code: 130 });
    expect(read('out.parquet')).toBe('earlier');
    expect(listDrafts()).toEqual([]);
  });
});

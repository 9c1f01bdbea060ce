import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { CONFIG, configText } from '../../support/fixtures/config-file.ts';
import { change, liveFileWith, packageRow, videoRow } from '../../support/fixtures/filled-live-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { published } from '../../support/fixtures/published-file.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';

/** A folder with a config, and the published file of three videos, one of them edited and one removed. */
async function folderWithFile() {
  const cwd = createFolder({
    [CONFIG]: configText({ url: 'http://127.0.0.1:1', top: 'publish: { file: bi.db }' }),
  });
  const live = liveFileWith(
    packageRow(101),
    ...[videoRow(1, { title: 'a "quoted", text' }), videoRow(2), videoRow(3, { title: null })],
    change(1, '2026-03-02 00:00:00', `filesize = 9007199254740991`),
    change(3, '2026-03-02 00:00:00', `removed_at = '2026-03-02 00:00:00'`),
  );
  const publishNow = async () => renameSync((await published(live)).file, join(cwd, 'bi.db'));
  await publishNow();
  const run = (...parameters: string[]) => vodhouse(['export', ...parameters], { cwd });
  return { cwd, live, publishNow, run, read: (name: string) => readFileSync(join(cwd, name), 'utf8') };
}

describe('vodhouse export', () => {
  it('writes CSV, NDJSON and Parquet of the same rows', async () => {
    const { cwd, run, read } = await folderWithFile();
    for (const format of ['csv', 'ndjson', 'parquet'])
      expect(await run('--format', format, '--out', `out.${format}`)).toMatchObject({
        code: 0,
        stdout: '',
        stderr: expect.stringMatching(
          /^wrote 3 rows of videos to out\.\w+ \(.+\); what changes from now on: --since-seq \d+\n$/,
        ) as unknown,
      });
    const lines = read('out.ndjson').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { video_id: 1, title: 'a "quoted", text', size_bytes: 9007199254740991, is_removed: false },
      { video_id: 2, is_removed: false, removed_at: null },
      { video_id: 3, title: null, is_removed: true, removed_at: '2026-03-02 00:00:00' },
    ]);
    const csv = parse<Record<string, string>>(read('out.csv'), { columns: true });
    expect(csv.map(({ video_id: id, title, is_removed: isRemoved }) => [id, title, isRemoved])).toEqual([
      ['1', 'a "quoted", text', '0'],
      ['2', 'Video 2', '0'],
      ['3', '', '1'],
    ]);
    const bytes = readFileSync(join(cwd, 'out.parquet'));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    expect(await parquetReadObjects({ file })).toMatchObject([
      { video_id: 1n, title: 'a "quoted", text', size_bytes: 9007199254740991n, is_removed: false },
      { video_id: 2n },
      { video_id: 3n, is_removed: true },
    ]);
  });

  it('gives what changed since the last export, with the number for the next one', async () => {
    const { live, publishNow, run, read } = await folderWithFile();
    const first = await run(
      '--format',
      'ndjson',
      '--table',
      'video_versions',
      '--out',
      'all.ndjson',
      '--json',
    );
    const { change_seq: seq, rows } = JSON.parse(first.stdout) as { change_seq: number; rows: number };
    expect([rows, seq > 0]).toEqual([5, true]);
    execute(
      live,
      `${change(2, '2026-03-04 00:00:00', `title = 'new'`)} update warehouse_state set change_seq = (select max(change_seq) from video)`,
    );
    await publishNow();
    const since = ['--table', 'video_versions', '--since-seq', String(seq)];
    expect((await run('--format', 'ndjson', ...since, '--out', 'new.ndjson')).code).toBe(0);
    const changed = read('new.ndjson').trimEnd().split('\n');
    const states = changed.map((line) => JSON.parse(line) as { version_number: number });
    expect(states.toSorted((one, other) => one.version_number - other.version_number)).toMatchObject([
      { video_id: 2, title: 'Video 2', is_current: false, valid_to: '2026-03-04 00:00:00' },
      { video_id: 2, title: 'new', is_current: true },
    ]);
    const { stdout, stderr } = await run('--format', 'csv', '--table', 'packages', '--out', '-');
    expect(stdout.split('\n').length).toBe(3);
    expect(stderr).toBe('wrote 1 row of packages\n');
  });

  it('says what is wrong, and leaves the file of an earlier export', async () => {
    const { cwd, run, read } = await folderWithFile();
    const ends = async (...parameters: string[]) => {
      const { code, stdout, stderr } = await run(...parameters);
      expect(stdout).toBe('');
      return [code, stderr.split('\n')[0]];
    };
    expect(await ends('--format', 'xlsx', '--out', 'x')).toEqual([2, expect.stringContaining('xlsx')]);
    expect(await ends('--format', 'csv')).toEqual([2, expect.stringContaining('--out')]);
    expect(await ends('--format', 'csv', '--json', '--out', '-')).toEqual([
      2,
      expect.stringContaining('stdout'),
    ]);
    expect(await ends('--format', 'csv', '--table', 'vidoes', '--out', 'x')).toEqual([
      2,
      'vodhouse: nothing that is published is named vidoes',
    ]);
    expect(await ends('--format', 'csv', '--since-seq', '999999', '--out', 'x')).toEqual([
      2,
      expect.stringContaining('999999 is beyond the last change, '),
    ]);
    expect(await ends('--format', 'csv', '--out', '.')).toEqual([2, expect.stringContaining('no file')]);
    expect(await ends('--format', 'csv', '--out', 'none/x.csv')).toEqual([
      1,
      expect.stringContaining('ENOENT'),
    ]);
    expect(readdirSync(cwd).filter((name) => name.includes('.new-'))).toEqual([]);
    writeFileSync(join(cwd, 'kept.csv'), 'earlier');
    chmodSync(join(cwd, 'kept.csv'), 0o640);
    mkdirSync(join(cwd, 'away'));
    renameSync(join(cwd, 'bi.db'), join(cwd, 'away/bi.db'));
    expect(await ends('--format', 'csv', '--out', 'kept.csv')).toEqual([
      1,
      expect.stringContaining('there is no published file'),
    ]);
    expect(read('kept.csv')).toBe('earlier');
    expect((await run('--file', 'away/bi.db', '--format', 'csv', '--out', 'kept.csv')).code).toBe(0);
    expect(statSync(join(cwd, 'kept.csv')).mode & 0o777).toBe(0o640);
  });

  it.runIf(existsSync('/dev/full'))('says in one line that stdout cannot be written', async () => {
    const { cwd } = await folderWithFile();
    const command = `"${process.execPath}" "${resolve('bin/vodhouse.js')}" export --format csv --out - > /dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, 'vodhouse: stdout cannot be written: the disk is full\n']);
  });

  it('that is stopped in the middle ends with 130 and leaves the file as it was', async () => {
    const { cwd, live, publishNow } = await folderWithFile();
    execute(
      live,
      `with recursive n(id) as (select 10 union all select id + 1 from n where id < 200000)
insert into video (account, package_id, id, title, content, first_seen_at, changed_at, change_seq)
select 'main', 101, id, 'title ' || id, hex(zeroblob(300)), '2026-03-01 03:00:00', '2026-03-01 03:00:00', 1000 + id from n;
update warehouse_state set change_seq = (select max(change_seq) from video)`,
    );
    await publishNow();
    writeFileSync(join(cwd, 'out.parquet'), 'earlier');
    const child = startVodhouse(['export', '--format', 'parquet', '--out', 'out.parquet'], { cwd });
    await eventually(() => existsSync(join(cwd, `out.parquet.new-${child.pid}`))).toBe(true);
    child.kill('SIGTERM');
    expect(await child.ended).toMatchObject({ code: 130 });
    expect(readFileSync(join(cwd, 'out.parquet'), 'utf8')).toBe('earlier');
    expect(readdirSync(cwd).filter((name) => name.includes('.new-'))).toEqual([]);
  });
});

import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, WarehouseError } from '../../src/lib/errors.ts';
import { backUp } from '../../src/backup/backup.ts';
import { APPLICATION_ID, SCHEMA_VERSION } from '../../src/database/migrate.ts';
import { catchError } from '../support/catch-error.ts';
import { moduleUrl, runModule } from '../support/processes/child-process.ts';
import { execute, hashFile, readRows, readValue } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { corruptIndex, writeFilled, readContents } from '../support/fixtures/full-warehouse.ts';

/** A folder with a filled live file that no process has open. */
async function filled() {
  const folder = temporaryFolder();
  const path = join(folder, 'live.db');
  await writeFilled(path);
  return { folder, path, file: join(folder, 'copy.db') };
}

describe('a backup', () => {
  it('equals the live file, row by row', async () => {
    const { path, file } = await filled();
    backUp(path, file);
    expect(readContents(file)).toEqual(readContents(path));
    expect(readValue(file, 'select count(*) from video_version')).toBe(40);
  });

  it('is a warehouse of this format with its triggers, in a single file', async () => {
    const { folder, path, file } = await filled();
    backUp(path, file);
    expect(readdirSync(folder).filter((name) => !name.startsWith('live.db'))).toEqual(['copy.db']);
    expect(readValue(file, 'pragma application_id')).toBe(APPLICATION_ID);
    expect(readValue(file, 'pragma user_version')).toBe(SCHEMA_VERSION);
    expect(readValue(file, 'pragma journal_mode')).toBe('delete');
    expect(() => execute(file, "delete from storage_day where date = '2026-02-28'")).toThrow(/never changed/);
    execute(file, "update video set title = 'x', change_seq = 999 where id = 2");
    expect(readValue(file, 'select count(*) from video_version where id = 2')).toBe(2);
  });

  it('is described in the result', async () => {
    const { path, file } = await filled();
    execute(path, "update video set removed_at = '2026-03-01 13:00:00', change_seq = 999 where id = 7");
    expect(backUp(path, file)).toEqual({
      videos: 39,
      sizeBytes: statSync(file).size,
      lastRunAt: '2026-03-01 12:01:00',
    });
  });

  it('has the permissions of the live file, in a folder that is there', async () => {
    const { folder, path } = await filled();
    chmodSync(path, 0o640);
    const inside = join(folder, 'a/b');
    expect(catchError(ConfigError, () => backUp(path, join(inside, 'copy.db'))).hint).toContain(
      `mkdir -p ${inside}`,
    );
    expect(readdirSync(folder)).not.toContain('a');
    mkdirSync(inside, { recursive: true });
    backUp(path, join(inside, 'copy.db'));
    expect(readdirSync(inside)).toEqual(['copy.db']);
    expect((statSync(join(inside, 'copy.db')).mode & 0o777).toString(8)).toBe('640');
  });

  it('is made of a file of an older format, which does not change', async () => {
    const { path, file } = await filled();
    execute(path, `drop table saved_requests; pragma user_version = ${SCHEMA_VERSION - 1}`);
    const before = hashFile(path);
    backUp(path, file);
    expect(readContents(file)).toEqual(readContents(path));
    expect([readValue(file, 'pragma user_version'), hashFile(path)]).toEqual([SCHEMA_VERSION - 1, before]);
  });
});

describe('a backup is rejected', () => {
  it('where a file already exists, which does not change', async () => {
    const { folder, path, file } = await filled();
    writeFileSync(file, 'yesterday');
    const back = () => backUp(path, file);
    expect(back).toThrow(ConfigError);
    expect(back).toThrow(`${file} is there already; nothing was written`);
    expect(readFileSync(file, 'utf8')).toBe('yesterday');
    expect(readdirSync(folder).filter((name) => name.includes('.new-'))).toEqual([]);
  });

  it('where the path is a dangling link', async () => {
    const { folder, path, file } = await filled();
    symlinkSync(join(folder, 'nowhere.db'), file);
    expect(() => backUp(path, file)).toThrow(ConfigError);
    expect(readdirSync(folder).sort()).not.toContain('nowhere.db');
  });

  it('onto the live file itself, by any path', async () => {
    const { folder, path } = await filled();
    symlinkSync(path, join(folder, 'link.db'));
    const before = readContents(path);
    for (const file of [path, join(folder, 'link.db')]) expect(() => backUp(path, file)).toThrow(ConfigError);
    expect(readContents(path)).toEqual(before);
  });

  it.each([
    ['there is none', () => undefined, /there is no warehouse/],
    ['it is empty', (path: string) => writeFileSync(path, ''), /is empty/],
    ['it is another database', (path: string) => execute(path, 'create table t (x)'), /not a vodhouse/],
  ])('where the live file is not a warehouse: %s', (_what, make, message) => {
    const folder = temporaryFolder();
    const path = join(folder, 'live.db');
    make(path);
    expect(() => backUp(path, join(folder, 'made/copy.db'))).toThrow(message);
    expect(readdirSync(folder)).not.toContain('made');
  });

  it('where the live file is damaged, and no file is left', async () => {
    const { folder, path, file } = await filled();
    const bytes = readFileSync(path);
    const { rootpage } = readRows(path, "select rootpage from sqlite_schema where name = 'video'")[0] ?? {};
    bytes.fill(0xab, (Number(rootpage) - 1) * 4096, Number(rootpage) * 4096);
    writeFileSync(path, bytes);
    const back = () => backUp(path, file);
    expect(back).toThrow(WarehouseError);
    expect(back).toThrow(`${path} is damaged`);
    expect(readdirSync(folder).filter((name) => !name.startsWith('live.db'))).toEqual([]);
  });

  it('where only the full check finds the damage of the live file', async () => {
    const { folder, path, file } = await filled();
    corruptIndex(path);
    expect(() => backUp(path, file)).toThrow(/is damaged: .*missing from index/);
    expect(readdirSync(folder)).not.toContain('copy.db');
  });
});

/** Adds videos without end, each with the next change_seq in the same transaction, and reports the start. */
const writer = (path: string) => `
  import { openDatabase } from '${moduleUrl('database/connection.ts')}';
  const { $client: client } = openDatabase('${path}', 0);
  const next = client.prepare('update warehouse_state set change_seq = change_seq + 1 returning change_seq').pluck();
  const add = client.prepare("insert into video (account, package_id, id, first_seen_at, changed_at, change_seq) values ('busy', 1, @id, '', '', @id)");
  const write = client.transaction(() => add.run({ id: next.get() }));
  client.pragma('synchronous = off');
  for (let round = 0; ; round++) {
    write.immediate();
    if (round === 50) process.stdout.write('begun');
  }`;

describe('next to a process that writes continuously', () => {
  it('every backup ends, and is a snapshot of one moment', async () => {
    const { folder, path } = await filled();
    const child = runModule(writer(path));
    await child.waitForOutput(/begun/);
    const numbers: number[] = [];
    for (let round = 1; new Set(numbers).size < 4 && round <= 200; round++) {
      const file = join(folder, `copy-${round}.db`);
      backUp(path, file);
      const [state] = readRows(
        file,
        'select change_seq, (select max(change_seq) from video) as newest from warehouse_state',
      );
      expect(state?.newest).toBe(state?.change_seq);
      numbers.push(Number(state?.change_seq));
    }
    child.process.kill('SIGKILL');
    await child.ended;
    expect(new Set(numbers).size).toBe(4); // the writer was not blocked
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  });
});

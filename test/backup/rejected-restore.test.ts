import { existsSync, linkSync, mkdirSync } from 'node:fs';
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, LockedError, WarehouseError } from '../../src/lib/errors.ts';
import { SCHEMA_VERSION } from '../../src/database/migrate.ts';
import { restoreMarkerPath } from '../../src/database/files.ts';
import { lockOrThrow } from '../../src/database/lock.ts';
import { restore } from '../../src/backup/restore.ts';
import { execute, hashFile, readValue } from '../support/fixtures/live-file.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';
import { nameIn, namesIn, writeWithBackup } from '../support/fixtures/full-warehouse.ts';

const NOW = toMs('2026-03-03T08:05Z');

let folder: string;
let path: string;
let file: string;

beforeEach(async () => {
  ({ folder, path, file } = await writeWithBackup());
});

const names = () => namesIn(folder);
const isMarked = () => existsSync(restoreMarkerPath(path));

/** Asserts that the folders of the live file and of the backup have not changed. */
function expectUntouched(
  attempt: () => unknown,
  kind: new (...parameters: never[]) => Error,
  message: RegExp,
) {
  const hashes = () => [path, ...(existsSync(file) && statSync(file).isFile() ? [file] : [])].map(hashFile);
  const before = [hashes(), names()];
  expect(attempt).toThrow(kind);
  expect(attempt).toThrow(message);
  expect([hashes(), names()]).toEqual(before);
}

describe('a restore is rejected, and changes nothing', () => {
  it.each(['worker', 'run', 'publish', 'load'] as const)('while a process holds the %s lock', (name) => {
    const lock = lockOrThrow(path, name, 'start', NOW);
    const refusal = () => restore(path, file, NOW);
    expect(refusal).toThrow(LockedError);
    expect(refusal).toThrow(new RegExp(`vodhouse start on .*, pid ${process.pid}`));
    expect([nameIn(path), isMarked()]).toEqual(['later', false]);
    lock.release();
    restore(path, file, NOW);
  });

  it.each<[string, () => void, RegExp]>([
    ['is not there', () => undefined, /there is no backup at/],
    ['is a folder', () => mkdirSync(file), /there is no backup at/],
    ['is the live file itself', () => symlinkSync(path, file), /is the live file itself/],
    ['is another name of the live file', () => linkSync(path, file), /is the live file itself/],
  ])('where the backup %s', (_what, make, message) => {
    rmSync(file);
    make();
    expectUntouched(() => restore(path, file, NOW), ConfigError, message);
  });

  it.each<[string, () => void, RegExp]>([
    ['is empty', () => writeFileSync(file, ''), /copy\.db is empty/],
    ['is no database', () => writeFileSync(file, 'letter '.repeat(999)), /copy\.db is not a SQLite file/],
    [
      'is another database',
      () => {
        rmSync(file);
        execute(file, 'create table t (x)');
      },
      /copy\.db .* not a vodhouse warehouse/,
    ],
    [
      'is of a newer format',
      () => execute(file, `pragma user_version = ${SCHEMA_VERSION + 1}`),
      /newer vodhouse/,
    ],
    [
      'is from before the first version',
      () => execute(file, 'pragma user_version = 21'),
      /copy\.db has format 21, made by a checkout before the first version/,
    ],
    [
      'is damaged',
      () => {
        const page = Number(readValue(file, "select rootpage from sqlite_schema where name = 'video'"));
        const bytes = Buffer.alloc(4096, 0xab);
        patch(file, bytes, (page - 1) * 4096);
      },
      /copy\.db is damaged/,
    ],
    ['is cut off', () => patch(file, null, 4096 * 10), /copy\.db is damaged/],
    [
      'has rows without their parent',
      () => execute(file, 'pragma foreign_keys = off; delete from run'),
      /copy\.db is damaged: a row of walk has lost its parent/,
    ],
  ])('where the backup %s', (_what, make, message) => {
    make();
    expectUntouched(() => restore(path, file, NOW), WarehouseError, message);
  });

  it('with the next step', () => {
    writeFileSync(file, '');
    const hint = expect.stringContaining('name another backup') as string;
    expect(() => restore(path, file, NOW)).toThrow(expect.objectContaining({ hint }) as Error);
  });
});

/** Overwrites a part of the file, or truncates it there. */
function patch(db: string, bytes: Buffer | null, at: number): void {
  const before = readFileSync(db);
  const rest = bytes ? [bytes, before.subarray(at + bytes.length)] : [];
  writeFileSync(db, Buffer.concat([before.subarray(0, at), ...rest]));
}

import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { planMove } from '../../src/app/move.ts';
import { findUnits, findUnitsNotice } from '../../src/app/move-checks.ts';
import { previewMove } from '../../src/app/preview-move.ts';
import type { Config } from '../../src/config/config.ts';
import { openDatabase } from '../../src/database/connection.ts';
import { loadConfig } from '../../src/config/load.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { recordConfig, recordZone } from '../../src/warehouse/statements/warehouse-state.ts';
import { fillAccount } from '../support/fixtures/account-rows.ts';
import { execute, readValue } from '../support/fixtures/live-file.ts';
import { writeFormat9 } from '../support/fixtures/old-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

interface FileOptions {
  /** The calendar of the booked days. */
  zone?: string;
  /** Further lines of its config. */
  lines?: string;
  hasDays?: boolean;
}

const configOf = (name: string, account: string, { lines = '' }: FileOptions) =>
  `warehouse: ${name}.db
${lines.includes('timezone') ? '' : 'timezone: Asia/Seoul\n'}${lines}
accounts:
  - name: ${account}
    video_list: { base_url: https://videos.example.test, key: first-key }
    packages: [101]
`;

/** A live file with an account, and the config of its worker next to it. */
function openFile(folder: string, name: string, account: string, options: FileOptions) {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, configOf(name, account, options));
  const config = loadConfig(file);
  const db = openDatabase(config.warehouse, Date.now());
  onTestFinished(() => void db.$client.close());
  db.$client.pragma('foreign_keys = off'); // rows of tests have no parents
  if (options.hasDays !== false) fillAccount(db, account);
  recordConfig(db, { file, accounts: account });
  recordZone(db, { timezone: options.zone ?? 'Asia/Seoul' });
  return { config, db };
}

const contextOf = (config: Config) => ({
  ...{ config, account: 'second', clock: systemClock },
  ...{ signal: new AbortController().signal, formatCommand: (words: string) => `vodhouse ${words}` },
});

/** Plans the move of `second` from one.db to two.db, which has `third`. */
function plan({ one = {}, two = {} }: { one?: FileOptions; two?: FileOptions | null }) {
  const folder = temporaryFolder();
  const from = openFile(folder, 'one', 'second', one);
  const to = join(folder, 'two.db');
  if (two !== null) openFile(folder, 'two', 'third', two);
  const planned = planMove(contextOf(from.config), from.db, to);
  return { ...planned, hasFile: existsSync(to) };
}

describe('planMove', () => {
  it('refuses a file whose config reads durations or days in another unit', () => {
    const seconds = { lines: 'duration_unit: s' };
    expect(() => plan({ two: seconds })).toThrow(
      /duration_unit is ms in .*one\.yaml, and s in .*two\.yaml, the config of .*two\.db/,
    );
    expect(() => plan({ one: seconds })).toThrow(/duration_unit is s in .*one\.yaml, and ms in/);
    expect(plan({ one: seconds, two: seconds }).doneAs).toBeNull();
    const noDays = { lines: 'timezone: UTC', hasDays: false };
    expect(() => plan({ two: noDays })).toThrow(/timezone is Asia\/Seoul in .*and UTC in .*two\.yaml/);
  });

  it('takes the units of a config only from one that has the file, and says them plainly', () => {
    const folder = temporaryFolder();
    const { db, config } = openFile(folder, 'two', 'third', { lines: 'duration_unit: s' });
    const find = (text: string) => {
      writeFileSync(config.file, text);
      return findUnits(config.warehouse, db)?.durationUnit ?? null;
    };
    const rest = 'warehouse: two.db\ntimezone: Asia/Seoul\n';
    expect(find(`${rest}accounts: [{ key: '\${NOT_SET}' }]`)).toBe('ms');
    expect(find(`${rest}duration_unit: s`)).toBe('s');
    expect(find(`${rest}duration_unit: \${UNIT}`)).toBeNull();
    expect(find('warehouse: other.db\ntimezone: Asia/Seoul\n')).toBeNull();
    expect(find('warehouse: two.db')).toBeNull();
    expect(find('')).toBeNull();
    expect([find(rest), findUnitsNotice(config.warehouse, config)]).toEqual(['ms', null]);
    rmSync(config.file);
    expect(findUnits(config.warehouse, db)).toBeNull();
    const needed = 'must have `duration_unit: s` and `timezone: Asia/Seoul`, as this one';
    expect(findUnitsNotice(config.warehouse, config)).toBe(
      `the config of ${config.warehouse} cannot be compared: it ${needed}`,
    );
    const missing = join(folder, 'three.db');
    expect(findUnitsNotice(missing, config)).toBe(`the config of ${missing} ${needed}`);
  });

  it('refuses days of two calendars: by what is booked, whatever the config says now', () => {
    const utc = { zone: 'UTC', lines: 'timezone: UTC' };
    expect(() => plan({ one: { lines: 'timezone: UTC' }, two: utc })).toThrow(
      'timezone is UTC, but 3 days were booked by the calendar of Asia/Seoul',
    );
    expect(() => plan({ one: { lines: 'timezone: UTC' }, two: null })).toThrow('timezone is UTC, but');
    expect(() => plan({ two: utc })).toThrow(/two\.db has days of UTC, this warehouse those of Asia\/Seoul/);
    expect(plan({})).toMatchObject({ doneAs: null, resumed: null });
    expect(plan({ two: null }).hasFile).toBe(false);
  });
});

describe('previewMove', () => {
  it('leaves no file, no folder and no newer format behind, whatever the path', () => {
    const folder = temporaryFolder();
    const { config } = openFile(folder, 'one', 'second', {});
    writeFormat9(join(folder, 'older.db'));
    execute(join(folder, 'other.db'), 'create table t (a)');
    const list = () =>
      readdirSync(folder, { recursive: true }).filter((name) => !/-(wal|shm)$/.test(String(name)));
    const before = list();
    const preview = (to: string) => previewMove(contextOf(config), join(folder, to));
    expect(preview('typo/deep/two.db').notice).toMatch(/two\.db must have `duration_unit: ms`/);
    expect(() => preview('other.db')).toThrow('not a vodhouse warehouse');
    expect(() => preview('older.db')).toThrow('has format 9, made by an older vodhouse');
    expect(readValue(join(folder, 'older.db'), 'pragma user_version')).toBe(9);
    expect(list()).toEqual(before);
  });
});

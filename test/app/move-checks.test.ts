import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { planMove } from '../../src/app/move.ts';
import { openDatabase } from '../../src/database/connection.ts';
import { loadConfig } from '../../src/config/load.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { recordZone } from '../../src/warehouse/statements/warehouse-state.ts';
import { fillAccount } from '../support/fixtures/account-rows.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

interface FileOptions {
  /** The calendar of the booked days. */
  zone?: string;
  /** Further lines of its config. */
  lines?: string;
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
  fillAccount(db, account);
  recordZone(db, { timezone: options.zone ?? 'Asia/Seoul' });
  return { config, db };
}

/** Plans the move of `second` from one.db to two.db, which has `third`. */
function plan({ one = {}, two = {} }: { one?: FileOptions; two?: FileOptions | null }) {
  const folder = temporaryFolder();
  const from = openFile(folder, 'one', 'second', one);
  const to = join(folder, 'two.db');
  if (two !== null) openFile(folder, 'two', 'third', two);
  const context = {
    ...{ config: from.config, account: 'second', clock: systemClock },
    ...{ signal: new AbortController().signal, formatCommand: (words: string) => `vodhouse ${words}` },
  };
  const planned = planMove(context, from.db, to);
  return { ...planned, hasFile: existsSync(to) };
}

describe('planMove', () => {
  it('refuses days of two calendars: by what is booked, whatever the config says now', () => {
    const utc = { zone: 'UTC', lines: 'timezone: UTC' };
    expect(() => plan({ one: { lines: 'timezone: UTC' }, two: utc })).toThrow(
      'timezone is UTC, but 3 days were booked by the calendar of Asia/Seoul',
    );
    expect(() => plan({ one: { lines: 'timezone: UTC' }, two: null })).toThrow('timezone is UTC, but');
    expect(() => plan({ two: utc })).toThrow(/two\.db has days of UTC, this warehouse those of Asia\/Seoul/);
    expect(plan({})).toMatchObject({ isDone: false, resumed: null });
    expect(plan({ two: null }).hasFile).toBe(false);
  });
});

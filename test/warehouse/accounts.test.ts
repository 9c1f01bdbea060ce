import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/connection.ts';
import { transact } from '../../src/database/transaction.ts';
import { countTargetRows, forgetRows, listAccounts, renameAccount } from '../../src/warehouse/accounts.ts';
import {
  change,
  insert,
  liveFileWith,
  packageRow,
  storageRow,
  videoRow,
} from '../support/fixtures/filled-live-file.ts';
import { readRows, readValue } from '../support/fixtures/live-file.ts';

const RUN = { trigger: 'manual', mode: 'full', status: 'succeeded', started_at: '2026-03-01 03:00:00' };
const REQUEST = { account: 'main', at_ms: 1, purpose: 'page', package_id: 101, spent_until_ms: 2 };

/** Two packages and booked storage of `main`, another account, and a row in most tables. */
const makeFile = () =>
  liveFileWith(
    packageRow(101),
    packageRow(102),
    packageRow(101, { account: 'other' }),
    videoRow(1),
    videoRow(2, { package_id: 102 }),
    videoRow(3, { account: 'other' }),
    change(1, '2026-03-02 03:00:00', `title = 'Edited'`),
    storageRow('2026-03-01', 5),
    storageRow('2026-03-01', 6, { account: 'other' }),
    insert('storage_correction', {
      account: 'main',
      date: '2026-03-01',
      accepted_at: '2026-03-03 00:00:00',
      reason: 'why',
    }),
    insert('run', RUN),
    insert('request', REQUEST),
    insert('pause', {
      account: 'main',
      until: 'u',
      reason: 'r',
      since: 's',
      full_rate_at: 'f',
      consecutive_restrictions: 1,
    }),
  );

function inTransaction<T>(path: string, work: Parameters<typeof transact<T>>[1]): T {
  const db = openDatabase(path, Date.parse('2026-03-05T00:00:00Z'));
  try {
    return transact<T>(db, work);
  } finally {
    db.$client.close();
  }
}

const triggers = (path: string) =>
  readRows(path, `select name, sql from sqlite_schema where type = 'trigger' order by name`);
/** Every row of every table that has an account, by table. */
const accountRows = (path: string) =>
  Object.fromEntries(
    readRows(
      path,
      `select t.name from sqlite_schema t join pragma_table_info(t.name) c on c.name = 'account' where t.type = 'table'`,
    ).map(({ name }) => [String(name), readRows(path, `select * from "${String(name)}"`)]),
  );

describe('renameAccount', () => {
  it('gives every row of the account the new name and changes nothing else', () => {
    const path = makeFile();
    const [before, protectedBy] = [accountRows(path), triggers(path)];
    inTransaction(path, (tx) => renameAccount(tx, 'main', 'news'));
    const expected = Object.fromEntries(
      Object.entries(before).map(([table, rows]) => [
        table,
        rows.map((row) => ({ ...row, account: row['account'] === 'main' ? 'news' : row['account'] })),
      ]),
    );
    const sorted = (tables: Record<string, unknown[]>) =>
      Object.fromEntries(
        Object.entries(tables).map(([name, rows]) => [name, rows.map((row) => JSON.stringify(row)).sort()]),
      );
    expect(sorted(accountRows(path))).toEqual(sorted(expected));
    expect(triggers(path)).toEqual(protectedBy);
    expect(readValue(path, 'select count(*) from video_version')).toBe(1);
  });
});

describe('forget', () => {
  it('deletes all rows of an account, and none of another', () => {
    const path = makeFile();
    const others = Object.fromEntries(
      Object.entries(accountRows(path)).map(([name, rows]) => [
        name,
        rows.filter((row) => row['account'] === 'other'),
      ]),
    );
    inTransaction(path, (tx) => forgetRows(tx, { account: 'main', packageId: null }, 0));
    expect(accountRows(path)).toEqual(others);
    expect(inTransaction(path, listAccounts)).toEqual(['other']);
    expect(triggers(path)).toHaveLength(7);
  });

  it('deletes a package without the storage and the ledger of its account', () => {
    const path = makeFile();
    const target = { account: 'main', packageId: 101 };
    expect(inTransaction(path, (tx) => countTargetRows(tx, target))).toEqual([
      { table: 'package', rows: 1 },
      { table: 'video', rows: 1 },
      { table: 'video_version', rows: 1 },
    ]);
    inTransaction(path, (tx) => forgetRows(tx, target, 0));
    expect(readRows(path, 'select account, package_id, id from video order by id')).toEqual([
      { account: 'main', package_id: 102, id: 2 },
      { account: 'other', package_id: 101, id: 3 },
    ]);
    expect(readValue(path, 'select count(*) from request')).toBe(1);
    expect(readValue(path, 'select count(*) from storage_day')).toBe(2);
  });
});

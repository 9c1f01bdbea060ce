import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { WarehouseError } from '../../src/lib/errors.ts';
import { openDatabase, type Db, type Tx } from '../../src/database/connection.ts';
import { run } from '../../src/database/schema/runs.ts';
import { transact } from '../../src/database/transaction.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const row = {
  trigger: 'manual',
  mode: 'full',
  status: 'running',
  started_at: '2026-03-01 12:00:00',
} as const;
const addRun = (tx: Tx) => tx.insert(run).values(row).run();

describe('transact', () => {
  let path: string;
  let db: Db;

  beforeEach(() => {
    path = join(temporaryFolder(), 'live.db');
    db = openDatabase(path, 0);
    return () => db.$client.close();
  });
  const runs = () => readRows(path, 'select run_id from run').length;

  it('says where to free space where the disk is full, and keeps what was stored', () => {
    transact(db, addRun);
    db.$client.pragma(`max_page_count = ${Number(db.$client.pragma('page_count', { simple: true }))}`);
    const fill = () => transact(db, (tx) => Array.from({ length: 5_000 }, () => addRun(tx)).length);
    expect(fill).toThrow(
      expect.objectContaining({
        name: 'WarehouseError',
        message: `${path}: database or disk is full`,
        hint: `free space on its disk (df -h ${dirname(path)}); what was stored stays`,
      }) as Error,
    );
    expect(runs()).toBe(1);
  });

  it('stores nothing where the function throws, and rethrows the error', () => {
    const failure = new RangeError('no');
    const work = () =>
      transact(db, (tx) => {
        addRun(tx);
        throw failure;
      });
    expect(work).toThrow(failure);
    expect(runs()).toBe(0);
    expect(db.$client.inTransaction).toBe(false);
  });

  it('takes the write lock before the function runs', () => {
    const other = openDatabase(path, 0);
    other.$client.pragma('busy_timeout = 0');
    transact(db, () => {
      expect(() => transact(other, addRun)).toThrow(/database is locked/);
    });
    transact(other, addRun);
    other.$client.close();
    expect(runs()).toBe(1);
  });

  it('throws a WarehouseError that names the file where SQLite rejects', () => {
    const twice = () =>
      transact(db, (tx) =>
        tx
          .insert(run)
          .values([
            { ...row, run_id: 1 },
            { ...row, run_id: 1 },
          ])
          .run(),
      );
    expect(twice).toThrow(WarehouseError);
    expect(twice).toThrow(path);
    expect(runs()).toBe(0);
  });

  it('does not accept a function that returns a promise: its transaction would be incomplete', () => {
    // @ts-expect-error an async callback type-checks in drizzle and fails at run time
    const later = () => transact(db, async (tx) => addRun(tx));
    expect(later).toThrow('Transaction function cannot return a promise');
    expect(runs()).toBe(0);
  });
});

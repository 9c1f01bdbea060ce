import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase, type Db } from '../../../src/database/connection.ts';
import { withoutTriggers } from '../../../src/database/account-tables.ts';
import { transact } from '../../../src/database/transaction.ts';
import {
  arrive,
  beginMove,
  findArrival,
  finishMove,
  takeBackMove,
  type MoveRequest,
} from '../../../src/warehouse/move/move-account.ts';
import { DROPPED_TABLES, MOVED_TABLES, STAYING_TABLES } from '../../../src/warehouse/move/moved-tables.ts';
import { findMove } from '../../../src/warehouse/statements/account-move.ts';
import { getBookedZone, getIdentity, recordZone } from '../../../src/warehouse/statements/warehouse-state.ts';
import { fillAccount, listAccountTables, readFacts } from '../../support/fixtures/account-rows.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';

const NOW = Date.parse('2026-03-05T12:00Z');

function openFile(...accounts: string[]) {
  const path = join(temporaryFolder(), 'live.db');
  const db = openDatabase(path, NOW);
  onTestFinished(() => void db.$client.close());
  db.$client.pragma('foreign_keys = off'); // rows of tests have no parents
  for (const account of accounts) fillAccount(db, account);
  return { path, db };
}

type File = ReturnType<typeof openFile>;

function findBegun({ db }: File) {
  const found = findMove(db, 'second');
  if (found === null) throw new Error('no move of the account is known');
  return found;
}

const request = (from: File, to: File, account = 'second'): MoveRequest => ({
  ...{ account, from, to, instance: 'instance-1', now: NOW },
});

function move(from: File, to: File, account = 'second'): void {
  const asked = request(from, to, account);
  arrive(asked, beginMove(asked));
  finishMove(asked);
}

const count = (db: Db, sql: string) => db.$client.prepare(sql).pluck().get() as number;
const countRows = (db: Db, account = 'second') =>
  Object.keys(MOVED_TABLES).reduce(
    (sum, table) => sum + count(db, `select count(*) from "${table}" where account = '${account}'`),
    0,
  );
const SEQS = `select change_seq from video union all select change_seq from video_version`;

describe('a move of an account', () => {
  it('knows every table with an account, and every number that counts in one file', () => {
    const { db } = openFile();
    const known = [...Object.keys(MOVED_TABLES), ...STAYING_TABLES, ...DROPPED_TABLES];
    expect(known.toSorted()).toEqual(listAccountTables(db));
    const notCounted =
      /^(package_id|record_id|checkpoint_id|resumed_from_id|first_id|last_id|id|cid|drm_cid)$/;
    for (const [table, counters] of Object.entries(MOVED_TABLES)) {
      const columns = db.$client.pragma(`table_info("${table}")`) as { name: string }[];
      const numbers = columns
        .map(({ name }) => name)
        .filter((name) => /_id$|_seq$|_by$/.test(name) && !notCounted.test(name));
      expect([table, numbers.toSorted()]).toEqual([table, Object.keys(counters).toSorted()]);
    }
  });

  it('carries every value of every row into a file with accounts of its own', () => {
    const [from, to] = [openFile('first', 'second'), openFile('third')];
    const [moved, others] = [
      readFacts(from.db, 'second'),
      [readFacts(from.db, 'first'), readFacts(to.db, 'third')],
    ];
    for (const [table, rows] of Object.entries(moved))
      expect([table, rows.length > 0]).toEqual([table, true]);
    move(from, to);
    expect(readFacts(to.db, 'second')).toEqual(moved);
    expect([readFacts(from.db, 'first'), readFacts(to.db, 'third')]).toEqual(others);
    expect(countRows(from.db)).toBe(0);
    expect(count(to.db, 'select count(*) from pragma_foreign_key_check')).toBe(0);
  });

  it('gives each state a number of its own in the other file, in the order of before', () => {
    const [from, to] = [openFile('first', 'second'), openFile('third', 'fourth')];
    move(from, to);
    expect(count(to.db, `select count(*) - count(distinct change_seq) from (${SEQS})`)).toBe(0);
    const last = count(to.db, 'select change_seq from warehouse_state');
    expect(count(to.db, `select max(change_seq) from (${SEQS})`)).toBeLessThanOrEqual(last);
    const fresh = openFile();
    const before = from.db.$client.prepare(SEQS).pluck().all();
    move(from, fresh, 'first');
    expect(before).toEqual(fresh.db.$client.prepare(SEQS).pluck().all());
  });

  it('counts a request of a run in one file only', () => {
    const [from, to] = [openFile('first', 'second'), openFile('third')];
    const sum = ({ db }: File) => count(db, 'select sum(requests) from run');
    const before = sum(from) + sum(to);
    move(from, to);
    expect(sum(from) + sum(to)).toBe(before);
    expect(count(to.db, `select count(*) from run where scope = 'moved second' and trigger = 'manual'`)).toBe(
      3,
    );
  });

  it('goes on after each of its steps, in one file at any moment', () => {
    const [from, to] = [openFile('first', 'second'), openFile('third')];
    const facts = readFacts(from.db, 'second');
    const asked = request(from, to);
    const moveId = beginMove(asked);
    expect(beginMove(asked)).toBe(moveId);
    expect([findMove(from.db, 'second')?.state, findMove(to.db, 'second')]).toEqual(['leaving', null]);
    expect(findArrival(to.db, moveId)).toBeNull();
    arrive(asked, moveId);
    arrive(asked, moveId);
    expect([findMove(from.db, 'second')?.state, findMove(to.db, 'second')?.state]).toEqual([
      'leaving',
      'here',
    ]);
    expect(findArrival(to.db, moveId)?.account).toBe('second');
    finishMove(asked);
    expect(readFacts(to.db, 'second')).toEqual(facts);
    expect(findMove(from.db, 'second')).toMatchObject({ state: 'left', otherFile: to.path });
  });

  it('is undone before its second step', () => {
    const [from, to] = [openFile('second'), openFile()];
    beginMove(request(from, to));
    takeBackMove(from.db, findBegun(from), NOW);
    expect(findMove(from.db, 'second')).toBeNull();
    move(from, to);
    const back = request(to, from);
    beginMove(back);
    takeBackMove(to.db, findBegun(to), NOW);
    expect(findMove(to.db, 'second')).toMatchObject({ state: 'here', origins: [{ seqOffset: 0 }] });
  });

  it('leads back, and knows where the account was', () => {
    const [from, to] = [openFile('first', 'second'), openFile('third')];
    const facts = readFacts(from.db, 'second');
    move(from, to);
    move(to, from);
    expect(readFacts(from.db, 'second')).toEqual(facts);
    const here = findMove(from.db, 'second');
    expect(here?.state).toBe('here');
    const ids = [from, to].map(({ db }) => getIdentity(db).warehouseId);
    expect(here?.origins.map(({ warehouseId }) => warehouseId)).toEqual(ids);
    const timelines = here?.origins.map(({ timeline }) => timeline);
    expect(timelines?.[0]).toBe(getIdentity(from.db).timeline);
    expect(timelines?.[1]).not.toBe(getIdentity(to.db).timeline);
  });

  it('leaves both files as they are where the other one cannot take a row', () => {
    const [from, to] = [openFile('second'), openFile('third')];
    const facts = readFacts(from.db, 'second');
    const asked = request(from, to);
    const moveId = beginMove(asked);
    to.db.$client.exec(
      `create trigger full before insert on walk begin select raise(abort, 'database or disk is full'); end`,
    );
    expect(() => arrive(asked, moveId)).toThrow('database or disk is full');
    expect([countRows(to.db), findArrival(to.db, moveId)]).toEqual([0, null]);
    to.db.$client.exec('drop trigger full');
    arrive(asked, moveId);
    finishMove(asked);
    expect(readFacts(to.db, 'second')).toEqual(facts);
  });

  it('leaves booked days the calendar that they have', () => {
    const zoneOf = ({ db }: File) => getBookedZone(db).timezone;
    const openIn = (timezone: string, ...accounts: string[]) => {
      const file = openFile(...accounts);
      recordZone(file.db, { timezone });
      return file;
    };
    const [from, to] = [openIn('Asia/Seoul', 'second'), openIn('UTC', 'third')];
    const asked = request(from, to);
    const moveId = beginMove(asked);
    expect(() => arrive(asked, moveId)).toThrow('it has days of UTC, and the account days of Asia/Seoul');
    expect([zoneOf(to), countRows(to.db)]).toEqual(['UTC', 0]);
    const empty = openIn('UTC');
    arrive({ ...asked, to: empty }, moveId);
    expect(zoneOf(empty)).toBe('Asia/Seoul');
    const [quiet, booked] = [openIn('Asia/Seoul', 'second'), openIn('UTC', 'third')];
    const tables = ['storage_correction', 'storage_day'];
    transact(quiet.db, (tx) =>
      withoutTriggers(tx, () => tables.forEach((table) => tx.$client.exec(`delete from ${table}`))),
    );
    move(quiet, booked);
    expect(zoneOf(booked)).toBe('UTC');
  });

  it('keeps the stricter of two pauses, in each of its figures', () => {
    const pauseOf = ({ db }: File) =>
      db.$client.prepare(`select * from pause where account = 'second'`).get();
    const insertPause = ({ db }: File, pause: object) =>
      db.$client
        .prepare(
          `insert or replace into pause values ('second', :until, :reason, :since, :full_rate_at, :consecutive_restrictions)`,
        )
        .run(pause);
    const at = (hour: number) => `2026-03-05 ${hour}:00:00`;
    const longer = {
      until: at(15),
      reason: '429',
      since: at(11),
      full_rate_at: at(16),
      consecutive_restrictions: 2,
    };
    const more = {
      until: at(14),
      reason: '503',
      since: at(12),
      full_rate_at: at(17),
      consecutive_restrictions: 6,
    };
    const stricter = { ...longer, since: at(12), full_rate_at: at(17), consecutive_restrictions: 6 };
    for (const [here, arriving] of [
      [longer, more],
      [more, longer],
    ] as const) {
      const [from, to] = [openFile('second'), openFile()];
      insertPause(from, arriving);
      insertPause(to, here);
      move(from, to);
      expect(pauseOf(to)).toEqual({ account: 'second', ...stricter });
    }
  });

  it('keeps the triggers of the file that it leaves', () => {
    const [from, to] = [openFile('first', 'second'), openFile()];
    const triggers = () =>
      from.db.$client.prepare(`select sql from sqlite_schema where type = 'trigger'`).all();
    const before = triggers();
    move(from, to);
    expect(triggers()).toEqual(before);
    expect(() => from.db.$client.exec(`delete from storage_day where account = 'first'`)).toThrow(
      'never changed',
    );
    transact(from.db, (tx) => withoutTriggers(tx, () => undefined));
  });
});

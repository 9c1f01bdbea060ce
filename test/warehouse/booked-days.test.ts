import { beforeEach, describe, expect, it } from 'vitest';
import { WarehouseError } from '../../src/lib/errors.ts';
import { openDatabase } from '../../src/database/connection.ts';
import { writeDay } from '../../src/warehouse/statements/storage.ts';
import { transact } from '../../src/database/transaction.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import { execute, readRows, type Row } from '../support/fixtures/live-file.ts';
import { dayRow } from '../support/fixtures/storage-days.ts';
import { openEmptyWarehouse } from '../support/fixtures/test-warehouse.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';
import { storeDays } from '../../src/warehouse/store-days.ts';

const BOOKED = '2026-02-27';
const LIVE = '2026-02-28';
const INSERT = `insert into storage_day (account, date, mov_org_cnt, state, observed_at)`;
const values = (date: string, state: string) =>
  `values ('main', '${date}', 7, '${state}', '2026-03-01 00:00:00')`;

/** Every SQL statement that could change or delete the row of a booked day. */
const ATTEMPTS: [string, string][] = [
  ['INSERT', `${INSERT} ${values(BOOKED, 'booked')}`],
  ['INSERT of a live row', `${INSERT} ${values(BOOKED, 'live')}`],
  ['INSERT OR REPLACE', `${INSERT.replace('insert', 'insert or replace')} ${values(BOOKED, 'booked')}`],
  ['REPLACE', `${INSERT.replace('insert', 'replace')} ${values(BOOKED, 'live')}`],
  ['INSERT OR IGNORE', `${INSERT.replace('insert', 'insert or ignore')} ${values(BOOKED, 'live')}`],
  [
    'upsert',
    `${INSERT} ${values(BOOKED, 'booked')} on conflict (account, date) do update set mov_org_cnt = excluded.mov_org_cnt`,
  ],
  ['upsert that does nothing', `${INSERT} ${values(BOOKED, 'live')} on conflict do nothing`],
  ['UPDATE of a figure', `update storage_day set mov_org_cnt = 7 where date = '${BOOKED}'`],
  ['UPDATE to the same figures', `update storage_day set mov_org_cnt = mov_org_cnt where date = '${BOOKED}'`],
  ['UPDATE of its state', `update storage_day set state = 'live' where date = '${BOOKED}'`],
  [
    'UPDATE that moves it to another day',
    `update storage_day set date = '2026-01-01' where date = '${BOOKED}'`,
  ],
  [
    'UPDATE that moves it to another account',
    `update storage_day set account = 'other' where date = '${BOOKED}'`,
  ],
  ['UPDATE of everything', 'update storage_day set image_size = 0'],
  [
    'UPDATE that moves a live row onto it',
    `update storage_day set date = '${BOOKED}' where date = '${LIVE}'`,
  ],
  [
    'UPDATE OR REPLACE that moves a live row onto it',
    `update or replace storage_day set date = '${BOOKED}' where date = '${LIVE}'`,
  ],
  [
    'UPDATE OR IGNORE that moves a live row onto it',
    `update or ignore storage_day set date = '${BOOKED}' where date = '${LIVE}'`,
  ],
  ['DELETE', `delete from storage_day where date = '${BOOKED}'`],
  ['DELETE of everything', 'delete from storage_day'],
];

describe('a booked day', () => {
  let path: string;
  let warehouse: Warehouse;
  const days = (): Row[] => readRows(path, 'select * from storage_day order by date');
  const store = (live: string | null, past: string[], figure: number) =>
    transact(warehouse.db, (tx) =>
      storeDays(tx, {
        account: 'main',
        answeredAt: toMs('2026-02-28T12:00Z'),
        live: live === null ? null : dayRow(live, figure),
        past: past.map((date) => dayRow(date, figure)),
        unconfirmed: [],
        missed: [],
        refused: [],
        drift: [],
      }),
    );

  beforeEach(() => {
    ({ path, warehouse } = openEmptyWarehouse('2026-02-28T12:00Z'));
    store(LIVE, [BOOKED], 1);
  });

  it.each(ATTEMPTS)('is protected against %s', (_name, statement) => {
    const before = days();
    expect(before.map(({ date, state }) => [date, state])).toEqual([
      [BOOKED, 'booked'],
      [LIVE, 'live'],
    ]);
    expect(() => execute(path, statement)).toThrow('a booked day is never changed');
    expect(days()).toEqual(before);
  });

  it('is protected also where triggers may call triggers', () => {
    const before = days();
    const statement = `${INSERT.replace('insert', 'insert or replace')} ${values(BOOKED, 'live')}`;
    expect(() => execute(path, `pragma recursive_triggers = on; ${statement}`)).toThrow('never changed');
    expect(days()).toEqual(before);
  });

  it("is protected against vodhouse's own code, with an error that names the file", () => {
    const before = days();
    const db = openDatabase(path, 0);
    const write = () =>
      transact(db, (tx) =>
        writeDay(tx, {
          ...dayRow(BOOKED, 7),
          account: 'main',
          state: 'booked',
          observed_at: '2026-03-01 00:00:00',
        }),
      );
    expect(write).toThrow(WarehouseError);
    expect(write).toThrow(`${path}: a booked day is never changed`);
    db.$client.close();
    expect(days()).toEqual(before);
  });

  it('does not change when it is read as today: the reading is stored separately', async () => {
    const before = days();
    store(BOOKED, [], 7);
    expect(days()).toEqual(before);
    expect(readRows(path, 'select date, mov_org_cnt from storage_reading')).toEqual([
      { date: LIVE, mov_org_cnt: 1 },
      { date: BOOKED, mov_org_cnt: 7 },
    ]);
  });

  it('does not affect other days and accounts: a live row is changed, moved, booked and deleted', () => {
    execute(path, `update storage_day set mov_org_cnt = 8 where date = '${LIVE}'`);
    execute(path, `${INSERT} ${values(LIVE, 'live')} on conflict do update set mov_org_cnt = 9`);
    expect(days()[1]).toMatchObject({ date: LIVE, mov_org_cnt: 9, state: 'live' });
    execute(path, `update storage_day set date = '2026-03-01' where date = '${LIVE}'`);
    execute(path, `delete from storage_day where date = '2026-03-01'`);
    execute(path, `${INSERT} ${values(BOOKED, 'live').replace('main', 'other')}`);
    execute(path, `update storage_day set state = 'booked' where account = 'other'`);
    expect(() => execute(path, `delete from storage_day where account = 'other'`)).toThrow('never changed');
    expect(days().map(({ account, date, state }) => [account, date, state])).toEqual([
      ['main', BOOKED, 'booked'],
      ['other', BOOKED, 'booked'],
    ]);
  });

  it('replaces the live row of its day', async () => {
    expect(store(null, [LIVE], 5)).toMatchObject({ booked: 1, discrepancies: 0 });
    expect(days()[1]).toMatchObject({ date: LIVE, mov_org_cnt: 5, state: 'booked' });
    expect(readRows(path, 'select date, mov_org_cnt from storage_reading')).toEqual([
      { date: LIVE, mov_org_cnt: 1 },
    ]);
  });
});

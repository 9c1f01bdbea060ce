import { beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_MS, toTimestamp } from '../../src/lib/clock.ts';
import type { DaysToStore } from '../../src/warehouse/store-days.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { dayRow } from '../support/fixtures/storage-days.ts';
import { openEmptyWarehouse } from '../support/fixtures/test-warehouse.ts';
import { transact } from '../../src/database/transaction.ts';
import { storeDays, readDayHistory } from '../../src/warehouse/store-days.ts';

const NOON = toMs('2026-03-10T12:00Z');
const DATE = '2026-03-08';
const NOTHING: DaysToStore = {
  account: 'main',
  answeredAt: NOON,
  live: null,
  past: [],
  unconfirmed: [],
  missed: [],
  refused: [],
  drift: [],
};

let path: string;
let warehouse: Warehouse;
beforeEach(() => {
  ({ path, warehouse } = openEmptyWarehouse(NOON));
});

/** Stores a response of a time in minutes after noon. */
const store = (minutes: number, days: Partial<DaysToStore>) =>
  transact(warehouse.db, (tx) =>
    storeDays(tx, { ...NOTHING, answeredAt: NOON + minutes * MINUTE_MS, ...days }),
  );
const refused = (date: string | null, reason = 'incomplete') => ({ date, reason, raw: `${date} ${reason}` });

it('counts what a response had; a day that waits for a second reading is not missed', () => {
  const missed = (['missing', 'unconfirmed', 'incomplete'] as const).map((reason, index) => ({
    date: `2026-03-0${index + 5}`,
    reason,
    requestedDays: 1,
    isGivenUp: false,
  }));
  const unconfirmed = [{ row: dayRow('2026-03-06', 1), reason: 'far off' }];
  const counts = store(0, { past: [dayRow(DATE, 1)], missed, unconfirmed, refused: [refused(null)] });
  expect(counts).toEqual({ booked: 1, discrepancies: 0, missed: 2, unconfirmed: 1, quarantined: 1 });
});

it.each([
  ['keep the time of the first reading', 1, 1, 0],
  ['have their own time where they differ', 1, 2, 1],
  ['have their own time where a clock that was ahead wrote the first one', -1, 1, -1],
  ['have one time within a minute', 0, 1, 0],
])('implausible figures that come again %s', (_what, minutes, figure, since) => {
  store(0, { unconfirmed: [{ row: dayRow(DATE, 1), reason: 'far off' }] });
  store(minutes, { unconfirmed: [{ row: dayRow(DATE, figure), reason: 'far off' }] });
  const { unconfirmed } = readDayHistory(warehouse.db, 'main');
  expect([...unconfirmed.keys()]).toEqual([DATE]);
  const [row] = readRows(path, 'select observed_at, mov_org_cnt from storage_unconfirmed');
  expect(row).toEqual({
    observed_at: toTimestamp(NOON + since * MINUTE_MS),
    mov_org_cnt: figure,
  });
});

describe('disputed days', () => {
  const disputed = () => [...readDayHistory(warehouse.db, 'main').disputed];

  it('are the booked ones that differ now, or came incomplete', () => {
    const [other, live] = ['2026-03-07', '2026-03-10'];
    store(0, { past: [dayRow(DATE, 1), dayRow(other, 1)], live: dayRow(live, 1) });
    expect(disputed()).toEqual([]);
    store(1, { past: [dayRow(DATE, 2)], refused: [refused(other), refused(live), refused(null)] });
    expect(disputed()).toEqual([other, DATE]);
    store(2, { past: [dayRow(DATE, 1), dayRow(other, 1)] });
    expect(disputed()).toEqual([]);
  });

  it('have the newest record that could not be stored in quarantine', () => {
    const open = () => readRows(path, 'select raw from quarantine where resolved_at is null order by raw');
    store(0, { refused: [refused(DATE), refused('2026-03-07'), refused(null)] });
    store(1, { refused: [refused(DATE, 'negative'), refused(null, 'negative')] });
    expect(open().map(({ raw }) => raw)).toEqual([
      '2026-03-07 incomplete',
      `${DATE} negative`,
      'null incomplete',
      'null negative',
    ]);
  });
});

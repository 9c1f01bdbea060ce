/** A booked day never changes: one wrong response must not become history. */
import { describe, expect, it } from 'vitest';
import { FIGURES, type Figure } from '../../../src/service/service-fields.ts';
import { storageRecord } from '../../support/fixtures/service-responses.ts';
import { openStorageAccount, type DayAnswer, type DayQuery } from '../../support/servers/storage-account.ts';

const NOON = '2026-03-10T03:00Z';
const GAPS = 'select date, reason, requested_days from storage_gap order by date';
const WAITING = 'select date, reason, observed_at from storage_unconfirmed order by date';
const QUARANTINE = 'select record_id, reason, resolved_at from quarantine order by quarantine_id';
const GB = 1e9;

/** A service whose first response has another record of yesterday, and whose later responses are correct. */
function oddOnce(odd: (record: Record<string, unknown>) => Record<string, unknown>) {
  return ({ days, number }: DayQuery): DayAnswer =>
    days.map((day) => {
      const record = storageRecord(day, 5);
      return number === 1 && day === '2026-03-09' ? odd(record) : record;
    });
}

const without = (record: Record<string, unknown>, field: string) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));

describe('an incomplete record', () => {
  it.each([
    ['null', 'incomplete: no figure for mov_org_size', (row: object) => ({ ...row, mov_org_size: null })],
    ['-1', 'mov_org_size is -1, a negative number', (row: object) => ({ ...row, mov_org_size: -1 })],
    [
      'no image_size',
      'incomplete: no figure for image_size',
      (row: Record<string, unknown>) => without(row, 'image_size'),
    ],
    [
      'a renamed image_size',
      'incomplete: no figure for image_size',
      (row: Record<string, unknown>) => ({ ...without(row, 'image_size'), imageSize: 5 }),
    ],
  ])(
    'with %s is quarantined, and the day is booked when a complete one arrives',
    async (_what, reason, odd) => {
      const account = await openStorageAccount({ answer: oddOnce(odd) });
      const first = await account.runAt(NOON);
      expect(first).toMatchObject({ status: 'partial', storage: [{ booked: 0, missed: 1, quarantined: 1 }] });
      expect(account.days()).toEqual([['2026-03-10', 'live', 5]]);
      expect(account.rows(QUARANTINE)).toMatchObject([
        { record_id: '2026-03-09', reason, resolved_at: null },
      ]);
      expect(account.rows(GAPS)).toEqual([{ date: '2026-03-09', reason: 'incomplete', requested_days: 1 }]);
      const second = await account.runAt('2026-03-10T04:00Z');
      expect(second).toMatchObject({ status: 'succeeded', storage: [{ booked: 1 }] });
      expect(account.days()[0]).toEqual(['2026-03-09', 'booked', 5]);
      expect(account.rows(GAPS)).toEqual([]);
      expect(account.rows(QUARANTINE)).toMatchObject([{ resolved_at: '2026-03-10 04:00:00' }]);
    },
  );

  it('is booked without the figures that the config lists as optional, but never with a negative one', async () => {
    const account = await openStorageAccount({
      rules: { optional: ['ad_org_cnt', 'ad_org_size'] },
      answer: ({ days, number }) =>
        days.map((day) => ({
          ...without(storageRecord(day, 5), 'ad_org_size'),
          ad_org_cnt: number === 1 ? -1 : null,
        })),
    });
    expect(await account.runAt(NOON)).toMatchObject({ storage: [{ booked: 0, live: false }] });
    expect(await account.runAt('2026-03-10T04:00Z')).toMatchObject({ storage: [{ booked: 1, live: true }] });
    const figures = account.rows('select ad_org_cnt, ad_org_size, mov_org_cnt from storage_day');
    expect(figures[0]).toEqual({ ad_org_cnt: null, ad_org_size: null, mov_org_cnt: 5 });
  });

  it('of today is stored as a reading, without its missing figures', async () => {
    const account = await openStorageAccount({
      answer: ({ days }) =>
        days.map((day) => ({
          ...storageRecord(day, 5),
          ...(day === '2026-03-10' ? { image_size: null } : {}),
        })),
    });
    expect(await account.runAt(NOON)).toMatchObject({
      status: 'succeeded',
      storage: [{ booked: 1, live: true }],
    });
    expect(account.rows('select image_size from storage_reading')).toEqual([{ image_size: null }]);
  });

  it('of a booked day is no discrepancy', async () => {
    let isOdd = false;
    const account = await openStorageAccount({
      answer: ({ days }) =>
        days.map((day) => ({ ...storageRecord(day, 5), ...(isOdd ? { image_size: null } : {}) })),
    });
    await account.runAt(NOON);
    isOdd = true;
    await account.runAt('2026-03-10T17:00Z');
    expect(account.rows('select * from storage_discrepancy')).toEqual([]);
    expect(account.rows(QUARANTINE).map(({ record_id }) => record_id)).toContain('2026-03-09');
  });
});

describe('a record with 0 in every figure', () => {
  it('that arrives once between days that are not 0 is never booked', async () => {
    const account = await openStorageAccount({
      answer: ({ days, number }) => days.map((day) => storageRecord(day, number === 2 ? 0 : 5)),
    });
    await account.runAt(NOON);
    const odd = await account.runAt('2026-03-11T03:00Z');
    expect(odd).toMatchObject({ status: 'succeeded', storage: [{ booked: 0, unconfirmed: 1 }] });
    expect(account.rows(WAITING)).toEqual([
      { date: '2026-03-10', reason: '0 in every figure', observed_at: '2026-03-11 03:00:00' },
    ]);
    expect(account.rows(GAPS)).toEqual([{ date: '2026-03-10', reason: 'unconfirmed', requested_days: 1 }]);
    await account.runAt('2026-03-11T03:10Z');
    expect(account.days()[1]).toEqual(['2026-03-10', 'booked', 5]);
    expect([account.rows(WAITING), account.rows(GAPS)]).toEqual([[], []]);
  });

  it('is booked when it arrives again at least an hour later', async () => {
    const zero = new Set(['2026-03-10', '2026-03-11']);
    const account = await openStorageAccount({
      answer: ({ days }) => days.map((day) => storageRecord(day, zero.has(day) ? 0 : 5)),
    });
    await account.runAt(NOON);
    await account.runAt('2026-03-11T03:00Z');
    await account.runAt('2026-03-11T03:59:59Z');
    expect(account.days()[1]).toEqual(['2026-03-10', 'live', 0]);
    await account.runAt('2026-03-11T04:00Z');
    expect(account.days()[1]).toEqual(['2026-03-10', 'booked', 0]);
    await account.runAt('2026-03-12T03:00Z'); // the day after a booked 0 may be 0 too
    expect(account.days()[2]).toEqual(['2026-03-11', 'booked', 0]);
  });
});

describe('a figure that is far from the last reading of its day', () => {
  /** A reading of 2026-03-10 with this total size, then a past figure for it: once, or always. */
  const runWith = async (live: number, past: number, isOnce = true, plausibleFactor = 2) => {
    let isOdd = true;
    const account = await openStorageAccount({
      rules: { plausibleFactor },
      answer: ({ days }) =>
        days.map((day) => {
          const isOver = day < '2026-03-10' || account.clock.now() >= Date.parse('2026-03-10T15:00Z');
          const size = isOver && isOdd && day === '2026-03-10' ? past : live;
          return { ...storageRecord(day, 0), mov_org_cnt: 1, mov_org_size: size };
        }),
    });
    await account.runAt(NOON);
    await account.runAt('2026-03-11T03:00Z');
    const first = account.days().filter(([date]) => date === '2026-03-10');
    const waiting = account.rows(WAITING);
    isOdd = !isOnce;
    await account.runAt('2026-03-11T04:00Z');
    const booked = account.rows(
      `select mov_org_size from storage_day where date = '2026-03-10' and state = 'booked'`,
    );
    return { first: first[0]?.[1], waiting, booked: booked[0]?.['mov_org_size'] };
  };

  it('waits, and is not booked where the next response differs', async () => {
    const { first, waiting, booked } = await runWith(10 * GB, 20.1 * GB);
    expect(first).toBe('live');
    const reason = 'mov_org_size is 20,100,000,000, in the last reading of that day it was 10,000,000,000';
    expect(waiting).toMatchObject([{ date: '2026-03-10', reason }]);
    expect(booked).toBe(10 * GB);
    expect(await runWith(10 * GB, 4.9 * GB)).toMatchObject({ first: 'live', booked: 10 * GB });
  });

  it('is booked where the next response repeats it', async () => {
    expect(await runWith(10 * GB, 21 * GB, false)).toMatchObject({ first: 'live', booked: 21 * GB });
  });

  it('is booked at once up to the factor of the config, and up to 1 GB', async () => {
    expect(await runWith(10 * GB, 20 * GB)).toMatchObject({ first: 'booked', waiting: [] });
    expect(await runWith(10 * GB, 29 * GB, true, 3)).toMatchObject({ first: 'booked', waiting: [] });
    expect(await runWith(1, GB)).toMatchObject({ first: 'booked', waiting: [] });
    expect(await runWith(1, GB + 1)).toMatchObject({ first: 'live' });
  });
});

/** Figures of a large account that grows each day. */
const largeDay = (date: string) => {
  const grown = Date.parse(date) / 86_400_000 - 20_000;
  const figures = FIGURES.map((name) => [name, name.endsWith('size') ? 1e12 + grown * 1e9 : 5000 + grown]);
  return { ...(Object.fromEntries(figures) as Record<Figure, number>), date };
};

type LargeDay = ReturnType<typeof largeDay>;

describe('a past day of a large account', () => {
  const ODD: [what: string, reason: string, odd: (day: LargeDay) => LargeDay][] = [
    [
      'one kind of storage is 0',
      'image_count is 0, in the last reading of that day it was 5,522',
      (day) => ({ ...day, image_count: 0, image_size: 0 }),
    ],
    [
      'one size is 0',
      'ad_org_size is 0, in the last reading of that day it was 1,522,000,000,000',
      (day) => ({ ...day, ad_org_size: 0 }),
    ],
    [
      'the counts are multiplied by 1,000',
      'mov_org_cnt is 5,522,000, in the last reading of that day it was 5,522',
      (day) => ({
        ...day,
        ...Object.fromEntries(
          FIGURES.filter((name) => !name.endsWith('size')).map((name) => [name, day[name] * 1000]),
        ),
      }),
    ],
    [
      'the figures are those of another day',
      'mov_org_cnt is 5,519, in the last reading of that day it was 5,522; all figures are those of 2026-03-07',
      (day) => ({ ...largeDay('2026-03-07'), date: day.date }),
    ],
    [
      'the figures are those of the day before',
      'mov_org_cnt is 5,521, in the last reading of that day it was 5,522; all figures are those of 2026-03-09',
      (day) => ({ ...largeDay('2026-03-09'), date: day.date }),
    ],
  ];
  const DATE = '2026-03-10';

  /** Requests the odd day once in progress or not, then as `odd` has it: once, or always. */
  const runWith = async (odd: (day: LargeDay) => LargeDay, { isRead = true, isOnce = true } = {}) => {
    const state = { isOdd: false };
    const account = await openStorageAccount({
      rules: { since: '2026-03-05' },
      answer: ({ days }) =>
        days.map((day) => (state.isOdd && day === DATE ? odd(largeDay(day)) : largeDay(day))),
    });
    await account.runAt(isRead ? NOON : '2026-03-09T03:00Z');
    state.isOdd = true;
    await account.runAt('2026-03-11T03:00Z');
    const waiting = account.rows(WAITING);
    state.isOdd = !isOnce;
    await account.runAt('2026-03-11T04:00Z');
    const count = `select * from storage_day where date = '${DATE}' and state = 'booked'`;
    return { waiting, booked: account.rows(count).map((row) => ({ ...largeDay(DATE), ...row })) };
  };

  it.each(ODD)('waits where %s, and is booked as it comes then', async (_what, reason, odd) => {
    const once = await runWith(odd);
    expect(once.waiting).toMatchObject([{ date: DATE, reason }]);
    expect(once.booked).toMatchObject([largeDay(DATE)]);
    const always = await runWith(odd, { isOnce: false });
    expect(always.booked).toMatchObject([odd(largeDay(DATE))]);
  });

  it.each(ODD.slice(0, 4))(
    'without a reading is compared with the days beside it: %s',
    async (_what, reason, odd) => {
      const { waiting, booked } = await runWith(odd, { isRead: false });
      const [, figure = ''] = /^(\w+ is [\d,]+), in the last reading/.exec(reason) ?? [];
      expect(waiting).toMatchObject([{ date: DATE }]);
      expect(waiting[0]?.['reason']).toMatch(new RegExp(`^${figure}, on 2026-03-09 it was [15],521`));
      expect(booked).toMatchObject([largeDay(DATE)]);
    },
  );

  it('is booked at once where nothing changed on it, or where it changed and the next day did not', async () => {
    const standing = await runWith((day) => day);
    expect(standing).toMatchObject({ waiting: [], booked: [largeDay(DATE)] });
    const late = await runWith((day) => ({ ...largeDay('2026-03-11'), date: day.date }));
    expect(late).toMatchObject({
      waiting: [],
      booked: [{ mov_org_cnt: largeDay('2026-03-11').mov_org_cnt }],
    });
  });
});

describe('a small account', () => {
  it.each([
    ['grows from 0 to 3 videos', [0, 3, 3, 3]],
    ['loses most of its videos', [90, 90, 4, 4]],
    ['has a video for one day', [7, 8, 7, 8]],
    ['does not change', [7, 7, 7, 7]],
  ])('that %s has each day booked at once', async (_what, counts) => {
    const first = Date.parse('2026-03-09');
    const account = await openStorageAccount({
      answer: ({ days }) =>
        days.map((day) => {
          const count = counts[(Date.parse(day) - first) / 86_400_000] ?? 0;
          // the day in progress has not changed yet: it is as the day before it
          const isOver = Date.parse(`${day}T15:00Z`) <= account.clock.now();
          const before = counts[(Date.parse(day) - first) / 86_400_000 - 1] ?? count;
          const shown = isOver ? count : before;
          return { ...storageRecord(day, 1), mov_org_cnt: shown, mov_org_size: shown * 10_000_000 };
        }),
    });
    for (const day of ['10', '11', '12']) await account.runAt(`2026-03-${day}T03:00Z`);
    expect(account.rows('select * from storage_unconfirmed')).toEqual([]);
    expect(account.days().map(([date, state, count]) => [date, state, count])).toEqual([
      ['2026-03-09', 'booked', counts[0]],
      ['2026-03-10', 'booked', counts[1]],
      ['2026-03-11', 'booked', counts[2]],
      ['2026-03-12', 'live', counts[2]],
    ]);
  });
});

describe('a response with a record of a day that was not requested', () => {
  it.each(['2026-03-11', '2026-01-05'])('has no day booked before it is repeated: %s', async (extra) => {
    const account = await openStorageAccount({
      answer: ({ days }) => [...days, extra].map((day) => storageRecord(day, 5)),
    });
    const first = await account.runAt(NOON);
    expect(first).toMatchObject({ status: 'partial', storage: [{ booked: 0, unconfirmed: 1, live: true }] });
    expect(account.rows(WAITING)).toMatchObject([
      { date: '2026-03-09', reason: `a record of ${extra} came with it` },
    ]);
    await account.runAt('2026-03-10T03:30Z');
    expect(account.days()[0]?.[1]).toBe('live');
    await account.runAt('2026-03-10T04:00Z');
    expect(account.days()[0]).toEqual(['2026-03-09', 'booked', 5]);
  });
});

describe('one wrong response', () => {
  it('of 0 is not booked though 0 was correct the day before: the last reading of the day contradicts it', async () => {
    const size = 5 * 1024 * GB;
    let isOdd = false;
    const account = await openStorageAccount({
      answer: ({ days }) =>
        days.map((day) => {
          const isZero = day < '2026-03-10' || (isOdd && day === '2026-03-10');
          return { ...storageRecord(day, 0), ...(isZero ? {} : { mov_org_cnt: 1, mov_org_size: size }) };
        }),
    });
    await account.runAt(NOON);
    await account.runAt('2026-03-10T04:00Z'); // 0 twice: 2026-03-09 is booked
    expect(account.days()[0]).toEqual(['2026-03-09', 'booked', 0]);
    isOdd = true;
    await account.runAt('2026-03-11T03:00Z');
    expect(account.days()[1]).toEqual(['2026-03-10', 'live', 1]);
    isOdd = false;
    await account.runAt('2026-03-11T03:10Z');
    expect(account.days()[1]).toEqual(['2026-03-10', 'booked', 1]);
  });
});

describe('days of a manual range', () => {
  const days = { from: '2026-02-01', to: '2026-03-09' };
  const only = { streams: ['storage' as const], storageDays: days };

  it('are requested in ranges of at most 31 days, given-up ones and those before `since` too', async () => {
    const missing = new Set(['2026-03-08']);
    const account = await openStorageAccount({
      rules: { giveUpDays: 0, since: '2026-03-08' },
      answer: ({ days: each }) => each.filter((day) => !missing.has(day)).map((day) => storageRecord(day, 5)),
    });
    await account.runAt(NOON);
    expect(account.rows('select given_up_at from storage_gap')).toEqual([
      { given_up_at: '2026-03-10 03:00:00' },
    ]);
    missing.clear();
    const before = account.requestedRanges.length;
    const summary = await account.runAt('2026-03-10T04:00Z', only);
    expect(account.requestedRanges.slice(before)).toEqual([
      '2026-02-07..2026-03-09',
      '2026-02-01..2026-02-06',
    ]);
    expect(summary).toMatchObject({ status: 'succeeded', storage: [{ booked: 36, live: null }] });
    expect(account.rows('select scope from run order by run_id desc limit 1')).toEqual([
      { scope: 'storage only, 2026-02-01 to 2026-03-09' },
    ]);
    expect(account.rows(GAPS)).toEqual([]);
  });

  it('of long ago leave no gaps, and do not move the beginning of the history', async () => {
    const account = await openStorageAccount({
      answer: ({ days: each }) =>
        each.filter((day) => day > '2026-01-10' || day === '2004-03-05').map((day) => storageRecord(day, 5)),
    });
    await account.runAt(NOON);
    const storageDays = { from: '2004-03-01', to: '2004-03-31' };
    expect(
      await account.runAt('2026-03-10T04:00Z', { streams: ['storage' as const], storageDays }),
    ).toMatchObject({
      storage: [{ booked: 1, missed: 0 }],
    });
    expect(account.rows(GAPS)).toEqual([]);
    const before = account.requestedRanges.length;
    await account.runAt('2026-03-11T03:00Z');
    expect(account.requestedRanges.slice(before)).toEqual(['2026-03-09..2026-03-11']);
  });

  it('are compared where they are booked, however long ago; a matching figure resolves the discrepancy', async () => {
    let figure = 5;
    const account = await openStorageAccount({
      rules: { since: '2026-02-01', recheckDays: 0 },
      answer: ({ days: each }) => each.map((day) => storageRecord(day, day === '2026-02-03' ? figure : 5)),
    });
    await account.runAt(NOON);
    figure = 6;
    expect(await account.runAt('2026-03-10T04:00Z', only)).toMatchObject({
      storage: [{ booked: 0, discrepancies: FIGURES.length }],
    });
    figure = 5;
    await account.runAt('2026-03-10T05:00Z', only);
    const open = account.rows('select distinct date, observed, resolved_at from storage_discrepancy');
    expect(open).toEqual([{ date: '2026-02-03', observed: 6, resolved_at: '2026-03-10 05:00:00' }]);
    figure = 6;
    await account.runAt('2026-03-10T06:00Z', only);
    expect(account.rows('select * from storage_discrepancy where resolved_at is null')).toHaveLength(10);
  });
});

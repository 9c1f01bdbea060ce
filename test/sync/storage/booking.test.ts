import { describe, expect, it } from 'vitest';
import { FIGURES } from '../../../src/service/service-fields.ts';
import { storageRecord } from '../../support/fixtures/service-responses.ts';
import { everyDay, openStorageAccount, type DayAnswer } from '../../support/servers/storage-account.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { temporaryFolder } from '../../support/fixtures/temporary-folder.ts';

/** Midnight in Seoul is at 15:00 UTC. */
const steady = everyDay(() => 5);

describe('the first run', () => {
  it('requests yesterday and today together, books the one and reads the other', async () => {
    const account = await openStorageAccount({ answer: everyDay((date) => Number(date.slice(-2))) });
    const summary = await account.runAt('2026-03-10T03:00Z');
    expect(account.requestedRanges).toEqual(['2026-03-09..2026-03-10']);
    expect(summary).toMatchObject({ status: 'succeeded', requests: 1 });
    expect(summary.storage).toEqual([
      { account: 'main', live: true, booked: 1, discrepancies: 0, missed: 0, unconfirmed: 0, quarantined: 0 },
    ]);
    const figures = (figure: number) => Object.fromEntries(FIGURES.map((name) => [name, figure]));
    const moment = { account: 'main', observed_at: '2026-03-10 03:00:00' };
    expect(account.rows('select * from storage_day order by date')).toEqual([
      { ...moment, date: '2026-03-09', ...figures(9), state: 'booked' },
      { ...moment, date: '2026-03-10', ...figures(10), state: 'live' },
    ]);
    expect(account.rows('select * from storage_reading')).toEqual([
      { reading_id: 1, ...moment, date: '2026-03-10', ...figures(10) },
    ]);
    expect(account.rows('select * from request')).toMatchObject([{ purpose: 'storage', package_id: null }]);
  });
});

describe('a day', () => {
  it('is booked as soon as it is settled, and not before, whatever the service returns until then', async () => {
    let figure = 0;
    const account = await openStorageAccount({ answer: everyDay(() => ++figure) });
    await account.runAt('2026-03-09T14:59:59Z');
    expect(account.days().map(([date, state]) => [date, state])).toEqual([
      ['2026-03-08', 'booked'],
      ['2026-03-09', 'live'],
    ]);
    await account.runAt('2026-03-09T15:00:00Z');
    await account.runAt('2026-03-09T15:59:59Z');
    expect(account.days().map(([date, state]) => [date, state])).toEqual([
      ['2026-03-08', 'booked'],
      ['2026-03-09', 'live'],
      ['2026-03-10', 'live'],
    ]);
    expect(account.days()[1]).toEqual(['2026-03-09', 'live', 2]);
    await account.runAt('2026-03-09T16:00:00Z');
    expect(account.days()[1]?.slice(0, 2)).toEqual(['2026-03-09', 'booked']);
    expect(account.requestedRanges.slice(1, 4).map((range) => range.slice(-22))).toEqual([
      '2026-03-08..2026-03-10',
      '2026-03-09..2026-03-10',
      '2026-03-09..2026-03-10',
    ]);
  });

  it('in progress is replaced at every run, and each of its readings is stored', async () => {
    let figure = 0;
    const account = await openStorageAccount({ answer: everyDay(() => ++figure) });
    for (const hour of ['03', '04', '05']) await account.runAt(`2026-03-10T${hour}:00Z`);
    expect(account.days()).toEqual([
      ['2026-03-09', 'booked', 1],
      ['2026-03-10', 'live', 4],
    ]);
    expect(account.rows('select date, mov_org_cnt, observed_at from storage_reading')).toEqual([
      { date: '2026-03-10', mov_org_cnt: 2, observed_at: '2026-03-10 03:00:00' },
      { date: '2026-03-10', mov_org_cnt: 3, observed_at: '2026-03-10 04:00:00' },
      { date: '2026-03-10', mov_org_cnt: 4, observed_at: '2026-03-10 05:00:00' },
    ]);
    expect(account.requestedRanges.slice(1)).toEqual(['2026-03-10..2026-03-10', '2026-03-10..2026-03-10']);
  });

  it('that ends during the request of a run is still the today of that run', async () => {
    let figure = 0;
    const account = await openStorageAccount({
      answer: (query) => {
        account.clock.set('2026-03-09T17:00:00Z');
        return everyDay(() => ++figure)(query);
      },
    });
    await account.runAt('2026-03-09T14:59:59Z');
    expect(account.requestedRanges).toEqual(['2026-03-08..2026-03-09']);
    expect(account.days()).toEqual([
      ['2026-03-08', 'booked', 1],
      ['2026-03-09', 'live', 2],
    ]);
    expect(account.rows('select observed_at from storage_reading')).toEqual([
      { observed_at: '2026-03-09 17:00:00' },
    ]);
    await account.runAt('2026-03-09T17:30:00Z');
    expect(account.requestedRanges[1]).toBe('2026-03-08..2026-03-10');
    expect(account.days()).toEqual([
      ['2026-03-08', 'booked', 1],
      ['2026-03-09', 'booked', 4],
      ['2026-03-10', 'live', 5],
    ]);
  });

  it('that was booked in another time zone does not change when it is in progress again', async () => {
    const folder = temporaryFolder();
    const before = await openStorageAccount({ answer: steady, folder });
    await before.runAt('2026-03-10T03:00Z');
    before.close();
    execute(before.file, 'update warehouse_state set timezone = null');
    const after = await openStorageAccount({
      answer: everyDay(() => 7),
      folder,
      timezone: 'America/New_York',
    });
    const summary = await after.runAt('2026-03-10T03:30Z');
    expect(summary.status).toBe('succeeded');
    expect(after.requestedRanges[0]).toMatch(/2026-03-09$/);
    expect(after.days()).toContainEqual(['2026-03-09', 'booked', 5]);
    expect(
      after.rows('select date, mov_org_cnt from storage_reading order by reading_id desc limit 1'),
    ).toEqual([{ date: '2026-03-09', mov_org_cnt: 7 }]);
  });
});

describe('a booked day', () => {
  const runAgain = async (change: (date: string) => number, recheckDays = 3) => {
    let getFigure: (date: string) => number = () => 5;
    const account = await openStorageAccount({
      answer: (query) => everyDay((date) => getFigure(date))(query),
      rules: { since: '2026-03-01', recheckDays },
    });
    await account.runAt('2026-03-10T03:00Z');
    getFigure = change;
    return account;
  };
  const discrepancies = `select date, field, booked, observed, observed_at from storage_discrepancy order by discrepancy_id`;

  it('is compared again at the first run of a day only, for the configured number of days back', async () => {
    const account = await runAgain(() => 5);
    await account.runAt('2026-03-10T14:00Z');
    await account.runAt('2026-03-10T17:00Z');
    await account.runAt('2026-03-10T18:00Z');
    expect(account.requestedRanges.slice(2)).toEqual([
      '2026-03-10..2026-03-10',
      '2026-03-08..2026-03-11',
      '2026-03-11..2026-03-11',
    ]);
    expect(account.rows(discrepancies)).toEqual([]);
  });

  it('does not change, and different figures of the service are recorded field by field', async () => {
    const account = await runAgain((date) => (date === '2026-03-08' ? 6 : 5));
    const summary = await account.runAt('2026-03-10T17:00Z');
    expect(summary.storage[0]).toMatchObject({ discrepancies: 10, booked: 1 });
    const discrepancy = { date: '2026-03-08', booked: 5, observed: 6, observed_at: '2026-03-10 17:00:00' };
    expect(account.rows(discrepancies)).toEqual(FIGURES.map((field) => ({ ...discrepancy, field })));
    expect(account.days()).toContainEqual(['2026-03-08', 'booked', 5]);
  });

  it('has one discrepancy while the service repeats it, and another when that changes', async () => {
    let figure = 6;
    const account = await runAgain((date) => (date === '2026-03-09' ? figure : 5), 4);
    await account.runAt('2026-03-10T17:00Z');
    await account.runAt('2026-03-11T17:00Z');
    expect(account.rows(discrepancies)).toHaveLength(10);
    figure = 7;
    await account.runAt('2026-03-12T17:00Z');
    expect(account.rows(discrepancies)).toHaveLength(20);
    expect(account.rows(`${discrepancies} desc limit 1`)).toMatchObject([{ booked: 5, observed: 7 }]);
  });

  it('has a discrepancy for a single field, and for figures that appear or disappear', async () => {
    const first = { ...storageRecord('2026-03-09'), image_size: null, image_count: 3 };
    const later = { ...storageRecord('2026-03-09'), image_size: 9, image_count: null };
    let answer: DayAnswer = [first, storageRecord('2026-03-10')];
    const rules = { optional: ['image_size', 'image_count'] as const };
    const account = await openStorageAccount({ answer: () => answer, rules });
    await account.runAt('2026-03-10T03:00Z');
    answer = [later];
    await account.runAt('2026-03-10T17:00Z');
    const discrepancy = { date: '2026-03-09', observed_at: '2026-03-10 17:00:00' };
    expect(account.rows(discrepancies)).toEqual([
      { ...discrepancy, field: 'image_count', booked: 3, observed: null },
      { ...discrepancy, field: 'image_size', booked: null, observed: 9 },
    ]);
  });
});

describe('a record', () => {
  /** Runs once with this text for yesterday's figure. */
  const book = async (figure: string) => {
    const text = (date: string) => JSON.stringify(storageRecord(date, '?')).replaceAll('"?"', figure);
    const account = await openStorageAccount({ answer: ({ days }) => days.map(text) });
    return { account, summary: await account.runAt('2026-03-10T03:00Z') };
  };

  it.each([
    ['4.4482871E7', 44_482_871],
    ['"16"', 16],
    ['1.0', 1],
    ['9.007199254740991E15', 2 ** 53 - 1],
  ])('with the figure %s is booked as an integer', async (text, figure) => {
    const { account, summary } = await book(text);
    expect(summary.status).toBe('succeeded');
    expect(account.days()).toEqual([
      ['2026-03-09', 'booked', figure],
      ['2026-03-10', 'live', figure],
    ]);
    const type = `select distinct typeof(mov_org_size) as type from storage_day`;
    expect(account.rows(type)).toEqual([{ type: 'integer' }]);
  });

  it.each(['12.5', '1152921504606846977', '"many"', 'true'])(
    'with the figure %s is quarantined unchanged, and the day is missing',
    async (text) => {
      const { account, summary } = await book(text);
      expect(summary).toMatchObject({
        status: 'partial',
        storage: [{ quarantined: 2, missed: 1, live: false }],
      });
      expect(account.days()).toEqual([]);
      const quarantined = account.rows('select * from quarantine order by record_id');
      expect(quarantined).toHaveLength(2);
      expect(quarantined[0]).toMatchObject({
        account: 'main',
        stream: 'storage',
        package_id: null,
        record_id: '2026-03-09',
      });
      expect(quarantined[0]?.['raw']).toBe(
        JSON.stringify(storageRecord('2026-03-09', '?')).replaceAll('"?"', text),
      );
      expect(quarantined[0]?.['reason']).toMatch(/^mov_org_cnt: /);
      expect(account.rows('select date from storage_gap')).toEqual([{ date: '2026-03-09' }]);
    },
  );

  it('is quarantined once, and resolved when its day is valid: live, booked or compared again', async () => {
    let bad = true;
    const account = await openStorageAccount({
      answer: ({ days }) =>
        days.map((date) => (bad ? { ...storageRecord(date), image_size: 1.5 } : storageRecord(date))),
    });
    const open = () =>
      account
        .rows('select record_id from quarantine where resolved_at is null order by 1')
        .map((row) => row['record_id']);
    await account.runAt('2026-03-10T03:00Z');
    await account.runAt('2026-03-10T04:00Z');
    expect(open()).toEqual(['2026-03-09', '2026-03-10']);
    bad = false;
    await account.runAt('2026-03-10T05:00Z');
    expect(open()).toEqual([]);
    bad = true;
    await account.runAt('2026-03-10T17:00Z');
    expect(open()).toEqual(['2026-03-09', '2026-03-10', '2026-03-11']);
    bad = false;
    await account.runAt('2026-03-11T17:00Z');
    expect(open()).toEqual([]);
    expect(account.rows('select * from storage_discrepancy')).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { insert, liveFileWith, storageRow } from '../support/fixtures/filled-live-file.ts';
import { published } from '../support/fixtures/published-file.ts';

const GIB = 1_073_741_824;

describe('a corrected day', () => {
  const correction = (date: string, bytes: number, at: string) =>
    storageRow(date, bytes)
      .replace('"storage_day"', '"storage_correction"')
      .replace('"state", "observed_at"', '"reason", "accepted_at"')
      .replace(/'booked', '[^']*'/, `'by the provider''s word', '${at}'`);
  const live = () =>
    liveFileWith(
      storageRow('2026-03-07', GIB),
      storageRow('2026-03-08', -1),
      storageRow('2026-03-09', 3 * GIB),
      correction('2026-03-08', 7 * GIB, '2026-03-09 01:00:00'),
      correction('2026-03-08', 2 * GIB, '2026-03-10 16:00:00'),
    );

  it('has its newest correction with its reason, what was booked, and differences from the corrected value', async () => {
    const { select } = await published(live(), { storageAccounts: [] });
    const columns = `day, state, observed_at, total_bytes, total_bytes_change, booked_total_bytes, corrected_at, correction_reason`;
    const day = (date: string, bytes: number, change: number | null) => ({
      day: date,
      state: 'booked',
      observed_at: `${date} 20:00:00`,
      total_bytes: bytes,
      total_bytes_change: change,
      booked_total_bytes: null,
      corrected_at: null,
      correction_reason: null,
    });
    expect(select(`select ${columns} from storage_daily order by day`)).toEqual([
      day('2026-03-07', 5 * GIB, null),
      {
        ...day('2026-03-08', 10 * GIB, 5 * GIB),
        booked_total_bytes: -5,
        corrected_at: '2026-03-10 16:00:00',
        correction_reason: "by the provider's word",
      },
      day('2026-03-09', 15 * GIB, 5 * GIB),
    ]);
    expect(select("select image_bytes, image_count from storage_daily where day = '2026-03-08'")).toEqual([
      { image_bytes: 2 * GIB, image_count: 10 },
    ]);
  });
});

describe('a day that is not booked', () => {
  it('has the response of the service, and until when it was requested', async () => {
    const gap = (date: string, row = {}) =>
      insert('storage_gap', {
        account: 'main',
        date,
        first_missed_at: '2026-03-05 00:00:00',
        last_requested_at: '2026-03-09 00:00:00',
        ...row,
      });
    const quarantined = (date: string, reason: string) =>
      insert('quarantine', {
        account: 'main',
        stream: 'storage',
        record_id: date,
        reason,
        raw: '{}',
        seen_at: '2026-03-09 00:00:00',
      });
    const unconfirmed = (date: string) =>
      insert('storage_unconfirmed', {
        account: 'main',
        date,
        reason: 'all figures are 0',
        observed_at: '2026-03-09 00:00:00',
      });
    const live = liveFileWith(
      gap('2026-03-01'),
      gap('2026-03-02', { reason: 'incomplete' }) + quarantined('2026-03-02', 'image_size is missing'),
      gap('2026-03-03', { reason: 'incomplete', given_up_at: '2026-03-08 00:00:00' }),
      gap('2026-03-04', { reason: 'unconfirmed' }) + unconfirmed('2026-03-04'),
    );
    const { select } = await published(live, { storageAccounts: [] });
    const columns = 'reason, last_requested_at, given_up_at';
    const requested = { last_requested_at: '2026-03-09 00:00:00', given_up_at: null };
    expect(select(`select ${columns} from storage_daily order by day`)).toEqual([
      { ...requested, reason: 'not_served' },
      { ...requested, reason: 'incomplete' },
      { ...requested, reason: 'incomplete', given_up_at: '2026-03-08 00:00:00' },
      { ...requested, reason: 'implausible' },
    ]);
  });

  it('is not over if the service still had it in progress after its end, by the calendar of the config', async () => {
    const live = liveFileWith(
      storageRow('2026-03-08', 1, { state: 'live', observed_at: '2026-03-08 14:59:59' }),
      storageRow('2026-03-09', 1, { state: 'live', observed_at: '2026-03-09 15:00:00' }),
    );
    const { select } = await published(live, { timezone: 'Asia/Seoul' });
    expect(select('select day, state, reason from storage_daily order by day')).toEqual([
      { day: '2026-03-08', state: 'provisional', reason: 'not_requested' },
      { day: '2026-03-09', state: 'provisional', reason: 'not_over' },
      { day: '2026-03-10', state: 'missing', reason: null }, // today: it may still be read
    ]);
  });

  it('that was read live and is then never served keeps its last reading, and tells why', async () => {
    const live = liveFileWith(
      storageRow('2026-03-08', 1, { state: 'live' }),
      insert('storage_gap', {
        account: 'main',
        date: '2026-03-08',
        first_missed_at: '2026-03-09 00:00:00',
        last_requested_at: '2026-03-10 01:00:00',
      }),
      storageRow('2026-03-09', 1, { state: 'live', observed_at: '2026-03-09 03:00:00' }),
      storageRow('2026-03-10', 1, { state: 'live' }),
    );
    const { select } = await published(live);
    expect(select('select day, state, reason, total_bytes from storage_daily order by day')).toEqual([
      { day: '2026-03-08', state: 'provisional', reason: 'not_served', total_bytes: 5 },
      { day: '2026-03-09', state: 'provisional', reason: 'not_requested', total_bytes: 5 },
      { day: '2026-03-10', state: 'live', reason: null, total_bytes: 5 },
    ]);
  });
});

describe('published storage', () => {
  it('has a row for every day, with a reason where there are no figures', async () => {
    const gap = {
      account: 'main',
      first_missed_at: '2026-03-05 00:00:00',
      last_requested_at: '2026-03-09 00:00:00',
    };
    const live = liveFileWith(
      storageRow('2026-03-01', GIB),
      storageRow('2026-03-02', 2 * GIB),
      insert('storage_gap', { ...gap, date: '2026-03-03', given_up_at: '2026-03-08 00:00:00' }),
      insert('storage_gap', { ...gap, date: '2026-03-04' }),
      insert('quarantine', {
        account: 'main',
        stream: 'storage',
        record_id: '2026-03-05',
        reason: 'image_size: 1.5',
        raw: '{}',
        seen_at: '2026-03-09 00:00:00',
      }),
      storageRow('2026-03-07', null),
      storageRow('2026-03-10', 5_000_000_000_000_000, { state: 'live', observed_at: '2026-03-10 02:00:00' }),
      insert('storage_discrepancy', {
        account: 'main',
        date: '2026-03-02',
        field: 'image_size',
        booked: 1,
        observed: 2,
        observed_at: '2026-03-05 00:00:00',
      }),
    );
    const { select } = await published(live);
    const columns = 'day, state, reason, total_bytes, total_bytes_change as change, discrepancy_count as d';
    expect(select(`select ${columns} from storage_daily order by day`)).toEqual([
      {
        day: '2026-03-01',
        state: 'booked',
        reason: null,
        total_bytes: 5 * GIB,
        change: null,
        d: 0,
      },
      {
        day: '2026-03-02',
        state: 'booked',
        reason: null,
        total_bytes: 10 * GIB,
        change: 5 * GIB,
        d: 1,
      },
      missing('2026-03-03', 'not_served'),
      missing('2026-03-04', 'not_served'),
      missing('2026-03-05', 'not_storable'),
      missing('2026-03-06', 'not_requested'),
      { ...missing('2026-03-07', null), state: 'booked' },
      missing('2026-03-08', 'not_requested'),
      missing('2026-03-09', 'not_requested'),
      {
        day: '2026-03-10',
        state: 'live',
        reason: null,
        total_bytes: 25_000_000_000_000_000,
        change: null,
        d: 0,
      },
    ]);
    expect(
      select(
        "select image_count, image_bytes, total_gib, observed_at from storage_daily where day = '2026-03-02'",
      ),
    ).toEqual([
      {
        image_count: 10,
        image_bytes: 2 * GIB,
        total_gib: 10,
        observed_at: '2026-03-02 20:00:00',
      },
    ]);
  });

  it('marks the last booked day of each month', async () => {
    const days = ['2026-01-30', '2026-01-31', '2026-02-26', '2026-03-01', '2026-03-08'];
    const live = liveFileWith(
      ...days.map((day) => storageRow(day, GIB)),
      storageRow('2026-03-09', GIB, { state: 'live' }),
      storageRow('2026-02-25', GIB, { account: 'old' }),
    );
    const { select } = await published(live);
    expect(select('select account, day from storage_daily where is_month_end order by account, day')).toEqual(
      [
        { account: 'main', day: '2026-01-31' },
        { account: 'main', day: '2026-02-26' },
        { account: 'main', day: '2026-03-08' },
        { account: 'old', day: '2026-02-25' },
      ],
    );
  });
});

const missing = (day: string, reason: string | null) => ({
  day,
  state: 'missing',
  reason,
  total_bytes: null,
  change: null,
  d: 0,
});

describe('the storage of an account that left the config', () => {
  it('ends with its last day, and makes nothing else outdated', async () => {
    const old = { account: 'old' };
    const live = liveFileWith(
      storageRow('2026-03-01', 1, old),
      storageRow('2026-03-03', 1, old),
      insert('storage_reading', { ...old, date: '2026-03-03', observed_at: '2026-03-03 01:00:00' }),
      storageRow('2026-03-08', 1),
      insert('storage_reading', { account: 'main', date: '2026-03-10', observed_at: '2026-03-10 01:00:00' }),
    );
    const { select } = await published(live);
    const days = 'select account, max(day) as last, count(*) as days from storage_daily group by account';
    expect(select(days)).toEqual([
      { account: 'main', last: '2026-03-10', days: 3 },
      { account: 'old', last: '2026-03-03', days: 3 },
    ]);
    expect(select("select value from about where key in ('freshness', 'storage_as_of')")).toEqual([
      { value: '2026-03-10 01:00:00' },
      { value: '2026-03-10 01:00:00' },
    ]);
  });
});

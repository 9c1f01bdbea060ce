import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  change,
  insert,
  liveFileWith,
  packageRow,
  storageRow,
  videoRow,
} from '../support/fixtures/filled-live-file.ts';
import { published } from '../support/fixtures/published-file.ts';

const GIB = 1_073_741_824;

describe('a published video', () => {
  it('has NULL for the empty text of the service, and texts with units for its numbers', async () => {
    const live = liveFileWith(
      packageRow(101),
      videoRow(7, {
        title: '',
        series: null,
        author: ' ',
        tag: 'a,b',
        duration: 90_500,
        filesize: 5 * GIB,
        v_framerate: 29.97,
        v_width: 1920,
        encoding_success: 'Y',
        extra: '{"new":1}',
      }),
    );
    const { select } = await published(live);
    expect(select('select * from videos')).toMatchObject([
      {
        video_key: 'main/101/7',
        package_key: 'main/101',
        account: 'main',
        package_name: 'Package 101',
        video_id: 7,
        title: null,
        series: null,
        author: ' ',
        tags: 'a,b',
        duration_seconds: 90.5,
        size_bytes: 5 * GIB,
        size_gib: 5,
        frames_per_second: 29.97,
        width_pixels: 1920,
        height_pixels: null,
        created_at: '2026-02-01 10:20:30',
        is_encoded: 1,
        other_fields: '{"new":1}',
        is_removed: 0,
        removed_at: null,
        changed_at: '2026-03-01 03:00:00',
        change: 'added',
        version_number: 1,
      },
    ]);
  });

  it('has a duration in seconds, also where the service counts in seconds', async () => {
    const live = liveFileWith(packageRow(101), videoRow(1, { duration: 90 }));
    const { select } = await published(live, { durationUnit: 's' });
    const duration = [{ duration_seconds: 90 }];
    expect(select('select duration_seconds from videos')).toEqual(duration);
    expect(select('select duration_seconds from packages')).toEqual(duration);
    expect(select('select duration_seconds from package_daily where is_live')).toEqual(duration);
  });

  it.each(['', 'yesterday', '2026-02-30 10:00:00.0', '2026-2-1 1:00:00', '2026-02-01', '2460000.5', null])(
    'has no creation time where the service has %j',
    async (cdate) => {
      const { select } = await published(liveFileWith(packageRow(101), videoRow(1, { cdate })));
      expect(select('select created_at from videos')).toEqual([{ created_at: null }]);
    },
  );

  it('has all of its states: former ones, removed ones and the present one', async () => {
    const live = liveFileWith(
      packageRow(101),
      videoRow(1),
      change(1, '2026-03-03 00:00:00', "title = 'New'"),
      change(1, '2026-03-05 00:00:00', "removed_at = '2026-03-04 23:00:00'"),
      change(1, '2026-03-06 00:00:00', 'removed_at = null'),
    );
    const { select, publication } = await published(live);
    const columns = 'title, is_removed, valid_from, valid_to, is_current';
    expect(select(`select ${columns} from video_versions order by change_seq`)).toEqual([
      {
        title: 'Video 1',
        is_removed: 0,
        valid_from: '2026-03-01 03:00:00',
        valid_to: '2026-03-03 00:00:00',
        is_current: 0,
      },
      {
        title: 'New',
        is_removed: 0,
        valid_from: '2026-03-03 00:00:00',
        valid_to: '2026-03-04 23:00:00',
        is_current: 0,
      },
      {
        title: 'New',
        is_removed: 1,
        valid_from: '2026-03-04 23:00:00',
        valid_to: '2026-03-06 00:00:00',
        is_current: 0,
      },
      { title: 'New', is_removed: 0, valid_from: '2026-03-06 00:00:00', valid_to: null, is_current: 1 },
    ]);
    expect(publication.rows).toMatchObject({ videos: 1, video_history: 3 });
  });

  it('has no playback keys, anywhere in the file, unless the config includes them', async () => {
    const row = { access_key: 'play-me-level-2', org_access_key: 'play-me-level-1' };
    const live = liveFileWith(
      packageRow(101),
      videoRow(1, row),
      change(1, '2026-03-02 00:00:00', "title = ''"),
    );
    const without = await published(live);
    expect(readFileSync(without.file).includes('play-me')).toBe(false);
    expect(without.select("select value from about where key = 'excluded'")).toEqual([
      { value: 'access_key, org_access_key' },
    ]);
    const wanted = await published(live, { exclude: ['filesize', 'tags'] });
    expect(wanted.select('select * from videos')).toMatchObject([
      { access_key: 'play-me-level-2', original_access_key: 'play-me-level-1' },
    ]);
    const names = wanted
      .select("select name from pragma_table_info('video_versions')")
      .map(({ name }) => name);
    expect(names).not.toEqual(expect.arrayContaining(['size_bytes']));
    expect(names).not.toEqual(expect.arrayContaining(['size_gib']));
    expect(names).not.toEqual(expect.arrayContaining(['tags']));
  });
});

describe('a published package', () => {
  it('has its current contents, and that it is retired', async () => {
    const live = liveFileWith(
      packageRow(101, {
        totalcount: 3,
        walked_at: '2026-03-02 00:00:00',
        first_walked_at: '2026-03-01 00:00:00',
      }),
      packageRow(102, { order: null, retired_at: '2026-03-03 00:00:00', name: '' }),
      videoRow(1),
      videoRow(2, { removed_at: '2026-03-02 00:00:00', filesize: 9 * GIB }),
      videoRow(3, { filesize: null, duration: null }),
    );
    const { select } = await published(live);
    expect(select('select * from packages order by package_key')).toMatchObject([
      {
        package_key: 'main/101',
        package_name: 'Package 101',
        video_count: 2,
        removed_count: 1,
        size_bytes: GIB,
        size_gib: 1,
        duration_seconds: 60,
        service_video_count: 3,
        is_retired: 0,
      },
      {
        package_name: '102',
        video_count: 0,
        removed_count: 0,
        size_bytes: 0,
        service_video_count: null,
        is_retired: 1,
      },
    ]);
  });
});

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
    const columns = `day, state, observed_at, total_bytes, total_bytes_change, booked_total_bytes, corrected_at, corrected_day, correction_reason`;
    const day = (date: string, bytes: number, change: number | null) => ({
      ...{ day: date, state: 'booked', observed_at: `${date} 20:00:00` },
      ...{ total_bytes: bytes, total_bytes_change: change, booked_total_bytes: null },
      ...{ corrected_at: null, corrected_day: null, correction_reason: null },
    });
    expect(select(`select ${columns} from storage_daily order by day`)).toEqual([
      day('2026-03-07', 5 * GIB, null),
      {
        ...day('2026-03-08', 10 * GIB, 5 * GIB),
        booked_total_bytes: -5,
        corrected_at: '2026-03-10 16:00:00',
        corrected_day: '2026-03-11',
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
        ...{ account: 'main', stream: 'storage', record_id: date, reason, raw: '{}' },
        seen_at: '2026-03-09 00:00:00',
      });
    const unconfirmed = (date: string) =>
      insert('storage_unconfirmed', {
        ...{ account: 'main', date, reason: 'all figures are 0', observed_at: '2026-03-09 00:00:00' },
      });
    const live = liveFileWith(
      gap('2026-03-01'),
      gap('2026-03-02', { reason: 'incomplete' }) + quarantined('2026-03-02', 'image_size is missing'),
      gap('2026-03-03', { reason: 'incomplete', given_up_at: '2026-03-08 00:00:00' }),
      gap('2026-03-04', { reason: 'unconfirmed' }) + unconfirmed('2026-03-04'),
      gap('2026-03-05', { reason: 'unconfirmed' }),
    );
    const { select } = await published(live, { storageAccounts: [] });
    const lastRequest = '; last requested at 2026-03-09 00:00:00 UTC';
    const notConfirmed = 'its figures are implausible, and not confirmed by a second reading';
    expect(select('select reason from storage_daily order by day').map(({ reason }) => reason)).toEqual([
      `the service did not return it${lastRequest}`,
      `the service did not return a complete record (image_size is missing)${lastRequest}`,
      'the service did not return a complete record; given up at 2026-03-08 00:00:00 UTC',
      `${notConfirmed} (all figures are 0)${lastRequest}`,
      `the service has not returned a later day yet: it may not be over${lastRequest}`,
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
      missing('2026-03-03', 'the service did not return it; given up at 2026-03-08 00:00:00 UTC'),
      missing('2026-03-04', 'the service did not return it; last requested at 2026-03-09 00:00:00 UTC'),
      missing('2026-03-05', 'the record of the service could not be stored: image_size: 1.5'),
      missing('2026-03-06', 'not requested yet'),
      { ...missing('2026-03-07', null), state: 'booked' },
      missing('2026-03-08', 'not requested yet'),
      missing('2026-03-09', 'not requested yet'),
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
        "select image_count, image_bytes, total_gib, observed_at, observed_day from storage_daily where day = '2026-03-02'",
      ),
    ).toEqual([
      {
        image_count: 10,
        image_bytes: 2 * GIB,
        total_gib: 10,
        observed_at: '2026-03-02 20:00:00',
        observed_day: '2026-03-03',
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

describe('the published calendar', () => {
  it('has complete years without gaps, with ISO weeks', async () => {
    const { select } = await published(liveFileWith(storageRow('2024-12-31', 1)));
    expect(select('select count(*) as days, min(day) as first, max(day) as last from dates')).toEqual([
      { days: 365 + 366 + 365 + 365, first: '2023-01-01', last: '2026-12-31' },
    ]);
    const parts =
      'day_at, time, iso_year, iso_week, week_start, month_start, quarter, weekday, weekday_name, is_weekend';
    const of = (day: string) => select(`select ${parts} from dates where day = ?`, day)[0];
    expect(of('2024-12-30')).toEqual({
      day_at: '2024-12-30 00:00:00',
      time: Date.UTC(2024, 11, 30) / 1000,
      iso_year: 2025,
      iso_week: 1,
      week_start: '2024-12-30',
      month_start: '2024-12-01',
      quarter: 4,
      weekday: 1,
      weekday_name: 'Monday',
      is_weekend: 0,
    });
    expect(of('2026-12-31')).toMatchObject({ iso_year: 2026, iso_week: 53, weekday_name: 'Thursday' });
    expect(of('2026-03-01')).toMatchObject({ weekday: 7, is_weekend: 1, week_start: '2026-02-23' });
  });

  it('covers the last fact, also where a clock was set back since', async () => {
    const { select } = await published(liveFileWith(storageRow('2027-01-01', 1)));
    expect(select('select max(day) as last from dates')).toEqual([{ last: '2027-12-31' }]);
    expect(select('select day from storage_daily')).toEqual([{ day: '2027-01-01' }]);
  });

  it('has the beginning and end of the days of its zone, also when clocks change', async () => {
    const { select } = await published(liveFileWith(storageRow('2026-03-28', 1)), {
      timezone: 'Europe/Berlin',
    });
    const bounds = "select starts_at, ends_at from dates where day = '2026-03-29'";
    expect(select(bounds)).toEqual([{ starts_at: '2026-03-28 23:00:00', ends_at: '2026-03-29 22:00:00' }]);
  });
});

describe('the published dictionary', () => {
  it('has exactly one row for each table and view and each of its columns, with the declared type', async () => {
    const { select } = await published(liveFileWith());
    const declared = select(
      `select m.name || '.' || c.name as "column", c.type as type
       from sqlite_schema m, pragma_table_info(m.name) c
       where m.type in ('table', 'view') and m.name not like 'sqlite_%'
       union all select m.name || '.*', m.type from sqlite_schema m
       where m.type in ('table', 'view') and m.name not like 'sqlite_%' order by 1`,
    );
    expect(declared.length).toBeGreaterThan(150);
    expect(
      select(
        'select table_name || \'.\' || column_name as "column", data_type as type from dictionary order by 1',
      ),
    ).toEqual(declared);
  });

  it('has the meaning of every column, and how every number may be summed', async () => {
    const { select } = await published(liveFileWith());
    const number = "data_type in ('BIGINT', 'REAL')";
    expect(
      select(
        `select * from dictionary where length(description) < 5 or (${number}) <> (additivity is not null)`,
      ),
    ).toEqual([]);
    const semi =
      "select distinct additivity as a from dictionary where table_name = 'storage_daily' and column_name glob 'total_gib'";
    expect(select(semi)).toEqual([{ a: 'semi-additive' }]);
    expect(
      select(
        "select source_field as s from dictionary where table_name = 'videos' and column_name in ('size_bytes', 'duration_seconds', 'created_at') order by position",
      ),
    ).toEqual([{ s: 'cdate' }, { s: 'duration' }, { s: 'filesize' }]);
  });

  it('has the role of every table, and its key, which is unique and not empty', async () => {
    const { select } = await published(liveFileWith());
    const tables = select("select * from dictionary where column_name = '*'");
    expect(tables.map(({ role }) => role)).not.toContain(null);
    const keys = tables.flatMap(({ table_name: table, data_type: kind, key_columns: key }) =>
      kind === 'table' ? [[String(table), String(key)] as const] : [],
    );
    expect(keys.length).toBeGreaterThan(8);
    for (const [table, key] of keys) {
      const declared = select(`select name from pragma_table_info('${table}') where pk > 0 order by pk`);
      expect(declared.map(({ name }) => name).join(', '), table).toBe(key);
    }
  });

  it('names only values that occur, and columns of other tables that are there', async () => {
    const { select } = await published(liveFileWith());
    const columns = select("select table_name || '.' || column_name as name from dictionary").map(
      ({ name }) => name,
    );
    const references = select(
      'select distinct refers_to as name from dictionary where refers_to is not null',
    );
    expect(references.length).toBeGreaterThan(2);
    expect(columns).toEqual(expect.arrayContaining(references.map(({ name }) => name)));
    expect(
      select(
        "select allowed_values from dictionary where table_name = 'video_changes' and column_name = 'change'",
      ),
    ).toEqual([{ allowed_values: 'added, edited, removed, restored' }]);
  });
});

describe('about', () => {
  const about = async (...statements: string[]): Promise<unknown> => {
    const { select } = await published(liveFileWith(...statements));
    const facts = select('select key, value from about').map(({ key, value }) => [key, value] as const);
    return Object.fromEntries(facts);
  };
  const reading = (account: string, at: string) =>
    insert('storage_reading', { account, date: '2026-03-10', observed_at: at });

  it('is as fresh as the oldest stream', async () => {
    const walked = (id: number, at: string | null, row = {}) => packageRow(id, { walked_at: at, ...row });
    const retired = { retired_at: '2026-03-02 00:00:00' };
    expect(
      await about(
        walked(1, '2026-03-09 00:00:00'),
        walked(2, '2026-03-08 00:00:00'),
        walked(3, null, retired),
        reading('main', '2026-03-01 00:00:00'),
        reading('main', '2026-03-07 00:00:00'),
        reading('other', '2026-03-09 00:00:00'),
      ),
    ).toMatchObject({
      version: '1.2.3',
      published_at: '2026-03-10 03:00:00',
      timezone: 'Asia/Seoul',
      today: '2026-03-10',
      freshness: '2026-03-07 00:00:00',
      videos_as_of: '2026-03-08 00:00:00',
      videos_newest: '2026-03-09 00:00:00',
      storage_as_of: '2026-03-07 00:00:00',
    });
    expect(await about(walked(1, '2026-03-09 00:00:00'), walked(2, null))).toMatchObject({ freshness: null });
  });
});

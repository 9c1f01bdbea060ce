import { describe, expect, it } from 'vitest';
import { insert, liveFileWith, packageRow, storageRow } from '../support/fixtures/filled-live-file.ts';
import { published } from '../support/fixtures/published-file.ts';

describe('the published calendar', () => {
  it('has complete years without gaps, with ISO weeks', async () => {
    const { select } = await published(liveFileWith(storageRow('2024-12-31', 1)));
    expect(select('select count(*) as days, min(day) as first, max(day) as last from dates')).toEqual([
      { days: 366 + 365 + 365, first: '2024-01-01', last: '2026-12-31' },
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

/** Not what only views and vodhouse itself read. */
const DOCUMENTED = `m.name not in ('video_history', 'video_edits', 'internals')`;

describe('the published dictionary', () => {
  it('has exactly one row for each table and view and each of its columns, with the declared type', async () => {
    const { select } = await published(liveFileWith());
    const declared = select(
      `select m.name || '.' || c.name as "column", c.type as type
       from sqlite_schema m, pragma_table_info(m.name) c
       where m.type in ('table', 'view') and m.name not like 'sqlite_%' and ${DOCUMENTED}
       union all select m.name || '.*', m.type from sqlite_schema m
       where m.type in ('table', 'view') and m.name not like 'sqlite_%' and ${DOCUMENTED} order by 1`,
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
    ).toEqual([{ allowed_values: 'imported, added, edited, removed, restored, retired, returned' }]);
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

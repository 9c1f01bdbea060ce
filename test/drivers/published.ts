/** The expected contents of the published file, computed from the live file without the publishing code. */
import { Database } from '../../src/database/sqlite.ts';
import { TODAY } from './hard-account.ts';
import { daysBetween } from './hard-service.ts';
import type { Row, Rows } from './drivers.ts';

type Value = bigint | number | string | null;
type Live = Record<string, Value>;
type Out = Record<string, Row[number]>;

const GIB = 2 ** 30;
const EXCLUDED = ['access_key', 'org_access_key'];

/** All rows of a query, integers exact. */
export function liveRows(path: string, query: string): Live[] {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare(query).safeIntegers().all() as Live[];
  } finally {
    db.close();
  }
}

/** The rows of a table as better-sqlite3 reads them, in the form of the drivers. */
export function rowsIn(path: string, table: string): Rows {
  const db = new Database(path, { readonly: true });
  try {
    const statement = db.prepare(`select * from "${table}"`).safeIntegers();
    const columns = statement.columns().map(({ name }) => name);
    return { columns, rows: (statement.raw().all() as Value[][]).map((row) => row.map(canonical)) };
  } finally {
    db.close();
  }
}

function canonical(value: Value): Row[number] {
  return typeof value === 'bigint' ? String(value) : value;
}

const integer = (value: Value | undefined) => (typeof value === 'bigint' ? String(value) : null);
const divided = (value: Value | undefined, by: number) =>
  typeof value === 'bigint' ? Number(value) / by : null;
const inMinutes = (ms: Value | undefined) => (typeof ms === 'bigint' ? Number(ms) / 1000 / 60 : null);
const toText = (value: Value | undefined) =>
  value === '' || value === undefined ? null : (value as string | null);
const flag = (value: boolean) => (value ? '1' : '0');
const epoch = (text: string) => String(Date.parse(`${text.replace(' ', 'T')}Z`) / 1000);
const sum = (rows: readonly Live[], name: string) =>
  rows.reduce((total, row) => total + ((row[name] as bigint | null) ?? 0n), 0n);
const getKey = (row: Live) => `${String(row['account'])}/${String(row['package_id'])}`;

/** A moment in the form that the service documents, without its fraction. */
function createdAt(cdate: Value | undefined): string | null {
  const moment = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.exec(String(cdate))?.[0];
  if (moment === undefined) return null;
  const time = Date.parse(`${moment.replace(' ', 'T')}Z`);
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(moment.replace(' ', 'T'));
  return isReal ? moment : null;
}

/** Columns that contain text of another column, or of the same one. */
const TEXTS: Record<string, string> = {
  title: 'title',
  series: 'series',
  author: 'author',
  copyright: 'copyright',
  content_id: 'cid',
  rate: 'rate',
  encoding_success: 'encoding_success',
  options: 'opt',
  drm_content_id: 'drm_cid',
  preloading: 'preloading',
  tags: 'tag',
  description: 'content',
  miscellaneous: 'etc',
  thumbnail_url: 'thumbnail_url',
  thumbnail_sheet_url: 'thumbnail_sheet_url',
  extra_json: 'extra',
  access_key: 'access_key',
  original_access_key: 'org_access_key',
};

function state(row: Live, span: { from: Value | undefined; to: Value | undefined; current: boolean }): Out {
  const texts = Object.entries(TEXTS).filter(([, source]) => !EXCLUDED.includes(source));
  return {
    package_key: getKey(row),
    account: toText(row['account']),
    package_id: integer(row['package_id']),
    video_id: integer(row['id']),
    change_seq: integer(row['change_seq']),
    valid_from: toText(span.from),
    valid_to: toText(span.to),
    is_current: flag(span.current),
    is_removed: flag(row['removed_at'] !== null),
    first_seen_at: toText(row['first_seen_at']),
    changed_at: toText(row['changed_at']),
    removed_at: toText(row['removed_at']),
    created_at: createdAt(row['cdate']),
    created_day: createdAt(row['cdate'])?.slice(0, 10) ?? null,
    duration_seconds: divided(row['duration'], 1000),
    duration_minutes: inMinutes(row['duration']),
    size_bytes: integer(row['filesize']),
    size_gib: divided(row['filesize'], GIB),
    width_pixels: integer(row['v_width']),
    height_pixels: integer(row['v_height']),
    frames_per_second: row['v_framerate'] as number | null,
    ...Object.fromEntries(texts.map(([name, source]) => [name, toText(row[source])])),
  };
}

const present = (row: Live) =>
  state(row, { from: row['removed_at'] ?? row['changed_at'], to: null, current: true });
const former = (row: Live) => state(row, { from: row['valid_from'], to: row['valid_to'], current: false });

function computePackages(live: string): Out[] {
  const videos = liveRows(live, 'select * from video');
  return liveRows(live, 'select * from package').map((row) => {
    const all = videos.filter((video) => getKey(video) === getKey(row));
    const there = all.filter((video) => video['removed_at'] === null);
    return {
      package_key: getKey(row),
      account: toText(row['account']),
      package_id: integer(row['package_id']),
      package_name: toText(row['name']) ?? integer(row['package_id']), // a chart needs a name
      videos: String(there.length),
      videos_removed: String(all.length - there.length),
      duration_seconds: Number(sum(there, 'duration')) / 1000,
      size_bytes: String(sum(there, 'filesize')),
      size_gib: Number(sum(there, 'filesize')) / GIB,
      service_count: integer(row['totalcount']),
      is_order_trusted: row['order'] === null ? null : flag(row['order'] === 'trusted'),
      first_walked_at: toText(row['first_walked_at']),
      walked_at: toText(row['walked_at']),
      looked_at: toText(row['looked_at']),
      is_retired: flag(row['retired_at'] !== null),
      retired_at: toText(row['retired_at']),
    };
  });
}

const KINDS = [
  ['original_video', 'mov_org_cnt', 'mov_org_size'],
  ['encoded_file', 'encoder_cnt', 'encoder_size'],
  ['original_ad', 'ad_org_cnt', 'ad_org_size'],
  ['encoded_ad', 'ad_encoder_cnt', 'ad_encoder_size'],
  ['image', 'image_count', 'image_size'],
] as const;

function getTotal(row: Live | undefined): bigint | null {
  const sizes = KINDS.map(([, , size]) => row?.[size] ?? null);
  return sizes.includes(null) ? null : sizes.reduce<bigint>((total, size) => total + (size as bigint), 0n);
}

function figures(row: Live): Out {
  const kinds = KINDS.flatMap(([name, count, size]) => [
    [`${name}_count`, integer(row[count])],
    [`${name}_bytes`, integer(row[size])],
    [`${name}_gib`, divided(row[size], GIB)],
  ]);
  const total = getTotal(row);
  return {
    total_bytes: integer(total),
    total_gib: divided(total, GIB),
    ...(Object.fromEntries(kinds) as Out),
  };
}

const formatDay = (day: string): Out => ({ day, day_at: `${day} 00:00:00`, time: epoch(`${day} 00:00:00`) });

function computeStorageDaily(live: string): Out[] {
  const corrections = liveRows(live, 'select * from storage_correction order by accepted_at');
  const corrected = new Map(corrections.map((row) => [row['date'], row]));
  const stored = liveRows(live, 'select * from storage_day').map((row) => ({
    ...row,
    ...corrected.get(row['date']),
  }));
  const days = new Map(stored.map((row) => [row['date'], row]));
  const gaps = new Map(liveRows(live, 'select * from storage_gap').map((row) => [row['date'], row]));
  const odd = liveRows(live, `select distinct record_id, reason from quarantine where stream = 'storage'`);
  const discrepancies = liveRows(
    live,
    'select distinct date, field from storage_discrepancy where resolved_at is null',
  );
  const first = [...days.keys(), ...gaps.keys()].map(String).sort()[0] ?? TODAY;
  return daysBetween(first, TODAY).map((day) => {
    const [row, gap] = [days.get(day), gaps.get(day)];
    const booked = (each: Live | undefined) => (each?.['state'] === 'booked' ? getTotal(each) : null);
    const [total, before] = [booked(row), booked(days.get(dayBefore(day)))];
    const change = total === null || before === null ? null : total - before;
    return {
      account: 'main',
      ...formatDay(day),
      state: toText(row?.['state']) ?? 'missing',
      reason: row
        ? null
        : formatReason(
            odd.find((each) => each['record_id'] === day),
            gap,
          ),
      observed_at: toText(corrected.get(day)?.['accepted_at'] ?? row?.['observed_at']),
      is_corrected: corrected.has(day) ? '1' : '0',
      is_retired: '0',
      ...figures(row ?? {}),
      total_bytes_change: integer(change),
      total_gib_change: divided(change, GIB),
      discrepancies: String(discrepancies.filter(({ date }) => date === day).length),
    };
  });
}

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);

function formatReason(odd: Live | undefined, gap: Live | undefined): string {
  const givenUp = toText(gap?.['given_up_at']);
  const lastRequested = gap && `; last asked at ${String(gap['last_asked_at'])} UTC`;
  const until = givenUp ? `; given up at ${givenUp} UTC` : (lastRequested ?? '');
  if (odd) return `the service did not return a complete record (${String(odd['reason'])})${until}`;
  return gap ? `the service did not return it${until}` : 'not asked for yet';
}

function computeStorageReadings(live: string): Out[] {
  return liveRows(live, 'select * from storage_reading').map((row) => ({
    reading_id: integer(row['reading_id']),
    account: toText(row['account']),
    observed_at: toText(row['observed_at']),
    observed_time: epoch(String(row['observed_at'])),
    ...formatDay(String(row['date'])),
    ...figures(row),
  }));
}

/** The expected rows of each of these tables, from the live file. */
export function computeExpected(live: string): Record<string, Rows> {
  const videos = liveRows(live, 'select * from video').map(present);
  const history = liveRows(live, 'select * from video_version').map(former);
  const tables = {
    packages: computePackages(live),
    videos,
    video_history: history,
    video_versions: [...history, ...videos],
    storage_daily: computeStorageDaily(live),
    storage_readings: computeStorageReadings(live),
  };
  return Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, asRows(rows)]));
}

function asRows(rows: readonly Out[]): Rows {
  const columns = Object.keys(rows[0] ?? {});
  return { columns, rows: rows.map((row) => columns.map((name) => row[name] ?? null)) };
}

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
const toText = (value: Value | undefined) =>
  value === '' || value === undefined ? null : (value as string | null);
const flag = (value: boolean) => (value ? '1' : '0');
/** A moment, and its day in Seoul, which is nine hours ahead all year. */
const moment = (name: string, value: Value | undefined): Out => ({
  [`${name}_at`]: toText(value),
  [`${name}_day`]:
    typeof value === 'string'
      ? new Date(Date.parse(`${value.replace(' ', 'T')}Z`) + 9 * 3_600_000).toISOString().slice(0, 10)
      : null,
});
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
  tags: 'tag',
  description: 'content',
  miscellaneous: 'etc',
  thumbnail_url: 'thumbnail_url',
  thumbnail_sheet_url: 'thumbnail_sheet_url',
  access_key: 'access_key',
  original_access_key: 'org_access_key',
};

/** The published column of a field. */
const COLUMN_OF: Record<string, string> = {
  ...Object.fromEntries(Object.entries(TEXTS).map(([name, source]) => [source, name])),
  cdate: 'created_at',
  duration: 'duration_seconds',
  filesize: 'size_bytes',
  v_width: 'width_pixels',
  v_height: 'height_pixels',
  v_framerate: 'frames_per_second',
  encoding_success: 'is_encoded',
};

const OTHER_FIELDS = ['cid', 'rate', 'drm_cid', 'opt', 'preloading'];
const FLAGS: Record<string, string> = { Y: '1', N: '0' };

/** Without spaces between its parts, as SQLite writes it. */
function otherFields(row: Live): string | null {
  const named = [...OTHER_FIELDS, ...(String(row['encoding_success']) in FLAGS ? [] : ['encoding_success'])];
  const fields = named.flatMap((name) => {
    const value = toText(row[name]);
    return value === null ? [] : [[name, value]];
  });
  const unknown = JSON.parse(String(row['extra'] ?? '{}')) as object;
  const all = { ...(Object.fromEntries(fields) as object), ...unknown };
  return Object.keys(all).length === 0 ? null : JSON.stringify(all);
}

/** Names of packages by their keys; one without a name has its id. */
function namePackages(live: string): Map<string, string | null> {
  const packages = liveRows(live, 'select * from package');
  return new Map(packages.map((row) => [getKey(row), toText(row['name']) ?? integer(row['package_id'])]));
}

/** What a state changed of the one before it. */
function differences(row: Live, before: Live | undefined): Out {
  const fields = [...Object.keys(COLUMN_OF), ...OTHER_FIELDS, 'extra'];
  const changed = before
    ? Object.keys(row).filter((name) => fields.includes(name) && row[name] !== before[name])
    : [];
  const shown = changed
    .filter((name) => !EXCLUDED.includes(name))
    .map((name) => COLUMN_OF[name] ?? 'other_fields');
  const removed = row['removed_at'] !== null;
  const change = !before
    ? 'added'
    : removed
      ? 'removed'
      : before['removed_at'] !== null
        ? 'restored'
        : 'edited';
  return {
    change,
    changed_fields: [...new Set(shown)].join(' ') || null,
    title_before: changed.includes('title') ? toText(before?.['title']) : null,
  };
}

/** All states of a video in their order, the present one last. */
function statesOf(live: string): Live[][] {
  const former = liveRows(live, 'select * from video_version order by change_seq');
  return liveRows(live, 'select * from video').map((video) => [
    ...former.filter((row) => getKey(row) === getKey(video) && row['id'] === video['id']),
    video,
  ]);
}

const beginOf = (row: Live) => row['removed_at'] ?? row['changed_at'];

/** Every state, with the live row and the beginning of the next state; null: it is the present one. */
function computeStates(live: string): { row: Live; out: Out; end: Out[string] }[] {
  const names = namePackages(live);
  return statesOf(live).flatMap((rows) =>
    rows.map((row, index) => {
      const next = rows[index + 1];
      const out = {
        ...state(row, names),
        version_number: String(index + 1),
        ...differences(row, rows[index - 1]),
      };
      return { row, out, end: next ? toText(beginOf(next)) : null };
    }),
  );
}

function state(row: Live, names: Map<string, string | null>): Out {
  const texts = Object.entries(TEXTS).filter(([, source]) => !EXCLUDED.includes(source));
  return {
    video_key: `${getKey(row)}/${String(row['id'])}`,
    package_key: getKey(row),
    account: toText(row['account']),
    package_name: names.get(getKey(row)) ?? null,
    video_id: integer(row['id']),
    is_removed: flag(row['removed_at'] !== null),
    change_seq: integer(row['change_seq']),
    ...moment('changed', beginOf(row)),
    run_id: integer(row['run_id']),
    created_at: createdAt(row['cdate']),
    created_day: createdAt(row['cdate'])?.slice(0, 10) ?? null,
    duration_seconds: divided(row['duration'], 1000),
    size_bytes: integer(row['filesize']),
    size_gib: divided(row['filesize'], GIB),
    width_pixels: integer(row['v_width']),
    height_pixels: integer(row['v_height']),
    frames_per_second: row['v_framerate'] as number | null,
    is_encoded: FLAGS[String(row['encoding_success'])] ?? null,
    other_fields: otherFields(row),
    ...Object.fromEntries(texts.map(([name, source]) => [name, toText(row[source])])),
  };
}

function computePackages(live: string): Out[] {
  const videos = liveRows(live, 'select * from video');
  const names = namePackages(live);
  return liveRows(live, 'select * from package').map((row) => {
    const all = videos.filter((video) => getKey(video) === getKey(row));
    const there = all.filter((video) => video['removed_at'] === null);
    return {
      package_key: getKey(row),
      account: toText(row['account']),
      package_id: integer(row['package_id']),
      package_name: names.get(getKey(row)) ?? null, // a chart needs a name
      video_count: String(there.length),
      removed_count: String(all.length - there.length),
      service_video_count: integer(row['totalcount']),
      duration_seconds: Number(sum(there, 'duration')) / 1000,
      size_bytes: String(sum(there, 'filesize')),
      size_gib: Number(sum(there, 'filesize')) / GIB,
      ...moment('first_walked', row['first_walked_at']),
      ...moment('walked', row['walked_at']),
      is_retired: flag(row['retired_at'] !== null),
      ...moment('retired', row['retired_at']),
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
  ]);
  const total = getTotal(row);
  return {
    total_bytes: integer(total),
    total_gib: divided(total, GIB),
    ...(Object.fromEntries(kinds) as Out),
  };
}

function computeStorageDaily(live: string): Out[] {
  const corrections = liveRows(live, 'select * from storage_correction order by accepted_at');
  const corrected = new Map(corrections.map((row) => [row['date'], row]));
  const booked = new Map(liveRows(live, 'select * from storage_day').map((row) => [row['date'], row]));
  const stored = [...booked.values()].map((row) => ({ ...row, ...corrected.get(row['date']) }));
  const days = new Map(stored.map((row) => [row['date'], row]));
  const gaps = new Map(liveRows(live, 'select * from storage_gap').map((row) => [row['date'], row]));
  const odd = liveRows(live, `select distinct record_id, reason from quarantine where stream = 'storage'`);
  const discrepancies = liveRows(
    live,
    'select distinct date, field from storage_discrepancy where resolved_at is null',
  );
  const isBooked = (day: string) => days.get(day)?.['state'] === 'booked';
  const first = [...days.keys(), ...gaps.keys()].map(String).sort()[0] ?? TODAY;
  return daysBetween(first, TODAY).map((day) => {
    const [row, gap] = [days.get(day), gaps.get(day)];
    const totalOf = (date: string) => (isBooked(date) ? getTotal(days.get(date)) : null);
    const [total, before] = [totalOf(day), totalOf(dayBefore(day))];
    const change = total === null || before === null ? null : total - before;
    return {
      account: 'main',
      day,
      state: toText(row?.['state']) ?? 'missing',
      reason: row
        ? null
        : formatReason(
            odd.find((each) => each['record_id'] === day),
            gap,
          ),
      is_month_end: flag(isBooked(day) && !daysBetween(day, TODAY).slice(1).some(isBooked)),
      is_retired: '0',
      ...moment('observed', booked.get(day)?.['observed_at'] ?? null),
      ...figures(row ?? {}),
      total_bytes_change: integer(change),
      booked_total_bytes: corrected.has(day) ? integer(getTotal(booked.get(day))) : null,
      ...moment('corrected', corrected.get(day)?.['accepted_at'] ?? null),
      correction_reason: toText(corrected.get(day)?.['reason']),
      discrepancy_count: String(discrepancies.filter(({ date }) => date === day).length),
    };
  });
}

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);

function formatReason(odd: Live | undefined, gap: Live | undefined): string {
  const givenUp = toText(gap?.['given_up_at']);
  const lastRequested = gap && `; last asked at ${String(gap['last_requested_at'])} UTC`;
  const until = givenUp ? `; given up at ${givenUp} UTC` : (lastRequested ?? '');
  if (odd) return `the service did not return a complete record (${String(odd['reason'])})${until}`;
  return gap ? `the service did not return it${until}` : 'not asked for yet';
}

/** The expected rows of each of these tables, from the live file. */
export function computeExpected(live: string): Record<string, Rows> {
  const states = computeStates(live);
  const spans = states.map(({ out, end }) => ({ ...out, valid_to: end, is_current: flag(end === null) }));
  const tables: Record<string, Out[]> = {
    packages: computePackages(live),
    videos: states
      .filter(({ end }) => end === null)
      .map(({ row, out }) => ({
        ...out,
        ...moment('first_seen', row['first_seen_at']),
        ...moment('removed', row['removed_at']),
      })),
    video_history: spans.filter(({ valid_to: end }) => end !== null),
    video_versions: spans.map((row: Out) => ({ valid_from: row['changed_at'] ?? null, ...row })),
    video_changes: states.map(({ out }) => ({
      ...Object.fromEntries(CHANGE_COLUMNS.map((name) => [name, out[name] ?? null])),
      title_after: out['title'] ?? null,
    })),
    storage_daily: computeStorageDaily(live),
  };
  return Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, asRows(rows)]));
}

const CHANGE_COLUMNS = [
  ...[
    'video_key',
    'package_key',
    'account',
    'package_name',
    'video_id',
    'change_seq',
    'version_number',
    'change',
  ],
  ...['changed_at', 'changed_day', 'run_id', 'changed_fields', 'title_before'],
];

function asRows(rows: readonly Out[]): Rows {
  const columns = Object.keys(rows[0] ?? {});
  return { columns, rows: rows.map((row) => columns.map((name) => row[name] ?? null)) };
}

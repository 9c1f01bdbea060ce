/** Builds the published file beside the one that stands, out of one look at the live file. */
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { createCalendar } from '../../lib/calendar.ts';
import { fromTimestamp, toTimestamp } from '../../lib/clock.ts';
import type { Expected } from './check.ts';
import { aboutRows, changeSeq } from './facts.ts';
import { createTable, createView, fillTable, insertInto, type Table } from './mart.ts';
import { dictionaryRows } from './marts/about.ts';
import type { Marts } from './marts/all.ts';
import type { Beside } from './beside.ts';
import { createMovement, CREATE_MOVEMENT_BY_DAY, CREATE_PACKAGE_DAY } from './marts/catalog.ts';
import { dateRows } from './marts/dates.ts';
import { CREATE_KEYED } from './marts/columns.ts';
import type { Order } from './order.ts';

/** `vodp` in ASCII: says that a SQLite file is one that vodhouse published. */
export const PUBLISHED_ID = 0x766f6470;

/** Rows of about 1 KB lie in the tree itself: smaller pages would chain each to a page of its own. */
const PAGE_BYTES = 16_384;
const CACHE_KIB = 32_000;

/** Builds the file at `draft`. Throws what SQLite throws. */
export async function build(draft: string, marts: Marts, order: Order, beside: Beside): Promise<Expected> {
  const moved = `${draft}-movement`;
  for (const leftOver of [draft, moved]) rmSync(leftOver, { force: true });
  const movement = beside.move(order.live, moved);
  movement.catch(() => undefined); // told where it is awaited
  const db = new Database(draft);
  try {
    applySettings(db);
    db.prepare('attach ? as live').run(order.live);
    db.exec('begin'); // one look at the live file, for all that follows
    fillVideos(db, marts);
    takeMovement(db, moved, await movement);
    const expected = fillDays(db, marts, order);
    db.exec('commit');
    db.exec('detach live');
    db.pragma('analysis_limit = 1000');
    db.exec('analyze');
    return expected;
  } finally {
    db.close();
    await movement.catch(() => undefined);
    rmSync(moved, { force: true });
  }
}

/** Of the draft alone: one that breaks off is thrown away, and needs neither a journal nor an fsync of each write. */
function applySettings(db: Database.Database): void {
  db.pragma(`main.page_size = ${PAGE_BYTES}`);
  db.pragma('main.journal_mode = OFF');
  db.pragma('main.synchronous = OFF');
  db.pragma('main.locking_mode = EXCLUSIVE');
  db.pragma('foreign_keys = OFF'); // held by a check at the end
  db.pragma(`main.cache_size = -${CACHE_KIB}`);
  db.pragma('busy_timeout = 5000');
  db.pragma(`main.application_id = ${PUBLISHED_ID}`);
}

function fillVideos(db: Database.Database, marts: Marts): void {
  for (const mart of marts.all) if (mart.kind === 'table') db.exec(createTable(mart));
  db.exec(CREATE_KEYED);
  for (const table of [marts.videos, marts.videoHistory]) run(db, table);
}

/** What the other process counted holds where it looked at the same rows; a run under way may have changed them between. */
function takeMovement(db: Database.Database, moved: string, seen: number): void {
  if (seen !== changeSeq(db)) return void db.exec(createMovement('temp'));
  db.exec('create temp table movement (account, package_id, minute, begun, ended, removed, duration, bytes)');
  const insert = db.prepare('insert into temp.movement values (?, ?, ?, ?, ?, ?, ?, ?)');
  const reader = new Database(moved, { readonly: true });
  try {
    for (const row of reader.prepare('select * from movement').raw().iterate()) insert.run(row);
  } finally {
    reader.close();
  }
}

function fillDays(db: Database.Database, marts: Marts, order: Order): Expected {
  const at = toTimestamp(order.now);
  const today = createCalendar(order.timezone).dayAt(order.now);
  run(db, marts.packages);
  insertAll(db, marts.dates, dateRows(firstDay(db, order, today), today, order.timezone));
  db.exec(CREATE_MOVEMENT_BY_DAY);
  db.prepare(CREATE_PACKAGE_DAY).run({ today });
  db.prepare(CREATE_ACCOUNT_DAY).run({ today });
  for (const table of [marts.storageDaily, marts.storageReadings]) run(db, table);
  run(db, marts.catalogDaily, { today });
  for (const mart of marts.all) if (mart.kind === 'view') db.exec(createView(mart));
  insertAll(db, marts.dictionary, dictionaryRows(marts.all));
  insertAll(db, marts.about, aboutRows(db, order, { today, at }));
  return countExpected(db, marts);
}

function run(db: Database.Database, table: Table, parameters: Record<string, unknown> = {}): void {
  const statement = fillTable(table);
  if (statement !== null) db.prepare(statement).run(parameters);
}

function insertAll(db: Database.Database, table: Table, rows: Iterable<readonly unknown[]>): void {
  const insert = db.prepare(insertInto(table));
  for (const row of rows) insert.run(...row);
}

/** `account_day`: every day of each account from the first that anything is known of. */
const CREATE_ACCOUNT_DAY = `create temp table account_day as
select f.account, d.day
from (
  select account, min(date) as first from (
    select account, date from live.storage_day
    union all select account, date from live.storage_gap
    union all select account, date from live.storage_reading
  ) group by account
) f
join dates d on d.day between f.first and :today`;

/** The day of the first fact there is; today where there is none. */
function firstDay(db: Database.Database, order: Order, today: string): string {
  const [moment, day] = db.prepare(FIRST_FACTS).raw().get() as [string | null, string | null];
  const seen = moment === null ? [] : [createCalendar(order.timezone).dayAt(fromTimestamp(moment))];
  return [...seen, ...(day === null ? [] : [day]), today].sort()[0] ?? today;
}

const FIRST_FACTS = `select
  (select min(moment) from (
    select min(minute) || ':00' as moment from movement
    union all select min(first_walked_at) from live.package
  )),
  (select min(date) from (
    select min(date) as date from live.storage_day
    union all select min(date) from live.storage_gap
    union all select min(date) from live.storage_reading
  ))`;

function countExpected(db: Database.Database, marts: Marts): Expected {
  const tables = marts.all.filter((mart) => mart.kind === 'table' && mart.count !== '') as Table[];
  return Object.fromEntries(
    tables.map(({ name, count }) => [name, db.prepare(count).pluck().get() as number]),
  );
}

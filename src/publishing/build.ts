/** Builds the published file beside the one that stands, out of one look at the live file. */
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Expected } from './check.ts';
import { aboutRows, fingerprint } from './fingerprint.ts';
import { attachLive } from './attach-live.ts';
import {
  createTable,
  createView,
  createWorking,
  fillTable,
  fillWorking,
  insertAll,
  type Table,
  type WorkingTable,
} from './mart.ts';
import { dictionaryRows } from './marts/about.ts';
import type { Marts } from './marts/marts.ts';
import type { HelperProcess } from './helper-process.ts';
import { packageKeys, packageSpan, packageState, packageTotal } from './marts/package-days.ts';
import { accountDay, shownDay } from './marts/storage.ts';
import type { PublishRequest } from './publish-request.ts';
import { beginFlush, PUBLISHED_ID } from './atomic-replace.ts';

/** For rows of about 1 KB: a tenth less to write than with pages of 4 KiB. */
const PAGE_BYTES = 16_384;
const CACHE_KIB = 8_000;

/** Builds the file at `draft`. Throws what SQLite throws. */
export async function build(
  draft: string,
  marts: Marts,
  order: PublishRequest,
  beside: HelperProcess,
): Promise<Expected> {
  const found = `${draft}-tally`;
  for (const leftOver of [draft, found]) rmSync(leftOver, { force: true });
  const tally = quietly(beside.tally(order, found));
  const db = new Database(draft);
  try {
    applySettings(db);
    attachLive(db, order.live);
    db.exec('begin'); // one look at the live file, for all that follows
    const flushed: Promise<void>[] = [];
    fillVideos(db, marts, () => flushed.push(quietly(beginFlush(draft))));
    const print = fingerprint(db, order);
    if ((await tally) === print) takeTally(db, found);
    else await tallyAnew(db, order);
    const expected = fillDays(db, marts, order, print);
    db.exec('commit');
    detachAll(db);
    db.pragma('analysis_limit = 1000');
    db.exec('analyze');
    await Promise.all(flushed);
    return expected;
  } finally {
    db.close();
    await tally.catch(() => undefined);
    rmSync(found, { force: true });
  }
}

function detachAll(db: Database.Database): void {
  const attached = db.pragma('database_list') as { name: string }[];
  for (const { name } of attached) if (['live', 'found'].includes(name)) db.exec(`detach ${name}`);
}

/** What goes wrong is told where it is awaited. */
function quietly<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
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

/** The tables that are filled first, in this order. */
export function videoTables(marts: Marts): (Table | WorkingTable)[] {
  return [packageKeys, marts.videos, marts.videoHistory];
}

function fillVideos(db: Database.Database, marts: Marts, afterEach: () => void): void {
  for (const mart of marts.all) if (mart.kind === 'table') db.exec(createTable(mart));
  for (const table of videoTables(marts)) {
    fill(db, table);
    if ('kind' in table) afterEach();
  }
}

/**
 * What the other process found holds where it looked at the same live file; a run under way may have changed it between.
 * Loaded only then: what it needs takes a tenth of the time that a publication takes.
 */
async function tallyAnew(db: Database.Database, order: PublishRequest): Promise<void> {
  const { makeTally } = await import('./movements.ts');
  makeTally(db, order, 'temp');
}

/** What the other process found is read where it is, but for the calendar. */
function takeTally(db: Database.Database, found: string): void {
  db.prepare('attach ? as found').run(found);
  db.exec('insert into main.dates select * from found.dates');
}

/** The tables that are filled after the videos, in this order. */
export function dayTables(marts: Marts): (Table | WorkingTable)[] {
  return [
    ...[packageTotal, marts.packages, packageSpan, packageState, accountDay, shownDay],
    ...[marts.storageDaily, marts.storageReadings, marts.storageCorrections, marts.catalogDaily],
  ];
}

function fillDays(db: Database.Database, marts: Marts, order: PublishRequest, print: string): Expected {
  const parameters = { today: order.today, followed: JSON.stringify(order.storageAccounts) };
  for (const table of dayTables(marts)) fill(db, table, parameters);
  for (const mart of marts.all) if (mart.kind === 'view') db.exec(createView(mart));
  insertAll(db, marts.dictionary, dictionaryRows(marts.all));
  insertAll(db, marts.about, aboutRows(db, order, print));
  return countExpected(db, marts);
}

/** Makes a working table; a published one is there. Fills either. */
function fill(db: Database.Database, table: Table | WorkingTable, parameters: object = {}): void {
  const isWorking = !('kind' in table);
  if (isWorking) db.exec(createWorking(table));
  const statement = isWorking ? fillWorking(table) : fillTable(table);
  if (statement !== null) db.prepare(statement).run(parameters);
}

function countExpected(db: Database.Database, marts: Marts): Expected {
  const tables = marts.all.filter((mart) => mart.kind === 'table' && mart.count !== '') as Table[];
  return Object.fromEntries(
    tables.map(({ name, count }) => [name, db.prepare(count).pluck().get() as number]),
  );
}

/** Builds a new published file from one snapshot of the live file. */
import { existsSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { WarehouseError } from '../lib/errors.ts';
import { restoreMarkerPath } from '../database/paths.ts';
import { createAboutRows } from './about-rows.ts';
import { PUBLISHED_ID, startFsync } from './atomic-replace.ts';
import type { ExpectedRows } from './check.ts';
import { createTable, createView, fillTable, insertRows, type Table, type WorkingTable } from './mart.ts';
import { createDictionaryRows } from './marts/about.ts';
import { createDateRows } from './marts/date-rows.ts';
import type { Marts } from './marts/marts.ts';
import { dayStart, movementByDay, stateSpan } from './marts/movements.ts';
import { packageKeys, packageSpan, packageState, packageTotal } from './marts/package-days.ts';
import { accountDay, shownDay } from './marts/storage.ts';
import type { PublishRequest } from './publish-request.ts';

/** For rows of about 1 KB this writes a tenth less than pages of 4 KiB. */
const PAGE_BYTES = 16_384;
const CACHE_KIB = 8_000;

/** Builds the file at `draft`. Gives the number of rows that each table must have. Throws what SQLite throws. */
export async function build(draft: string, marts: Marts, request: PublishRequest): Promise<ExpectedRows> {
  rmSync(draft, { force: true });
  const db = new Database(draft);
  try {
    applySettings(db);
    attachLive(db, request.live);
    db.exec('begin'); // one snapshot of the live file for all statements
    for (const mart of marts.all) if (mart.kind === 'table') db.exec(createTable(mart));
    const flushed = fillTables(db, marts, request, () => startFsync(draft));
    for (const mart of marts.all) if (mart.kind === 'view') db.exec(createView(mart));
    insertRows(db, marts.dictionary, createDictionaryRows(marts.all));
    insertRows(db, marts.about, createAboutRows(db, request));
    const expected = countExpectedRows(db, marts);
    db.exec('commit');
    db.exec('detach live');
    db.pragma('analysis_limit = 1000');
    db.exec('analyze');
    await Promise.all(flushed);
    return expected;
  } finally {
    db.close();
  }
}

/** No journal and no fsync for the draft: if the build fails, the draft is deleted. */
function applySettings(db: Database.Database): void {
  db.pragma(`main.page_size = ${PAGE_BYTES}`);
  db.pragma('main.journal_mode = OFF');
  db.pragma('main.synchronous = OFF');
  db.pragma('main.locking_mode = EXCLUSIVE');
  db.pragma('foreign_keys = OFF'); // checked at the end
  db.pragma(`main.cache_size = -${CACHE_KIB}`);
  db.pragma('busy_timeout = 5000');
  db.pragma(`main.application_id = ${PUBLISHED_ID}`);
}

/** Attaches the live file as `live`. Throws WarehouseError if it is missing (SQLite would create it) or being restored. */
export function attachLive(db: Database.Database, path: string): void {
  if (!existsSync(path))
    throw new WarehouseError(`there is no warehouse at ${path}`, { hint: 'vodhouse sync makes it' });
  if (existsSync(restoreMarkerPath(path)))
    throw new WarehouseError(`${path} is being restored`, {
      hint: 'vodhouse restore FILE finishes what was broken off',
    });
  db.prepare('attach ? as live').run(path);
}

/** The tables in the order in which they are filled: each reads only the live file and tables before it. */
export function fillOrder(marts: Marts): (Table | WorkingTable)[] {
  return [
    ...[packageKeys, marts.videos, marts.videoHistory],
    ...[stateSpan, marts.dates, dayStart, movementByDay],
    ...[packageTotal, marts.packages, packageSpan, packageState, accountDay, shownDay],
    ...[marts.storageDaily, marts.storageReadings, marts.storageCorrections, marts.catalogDaily],
  ];
}

/** Calls `startFlush` after the two large tables: the disk writes them while the others are filled. */
function fillTables(
  db: Database.Database,
  marts: Marts,
  request: PublishRequest,
  startFlush: () => Promise<void>,
): Promise<void>[] {
  const parameters = { today: request.today, followed: JSON.stringify(request.storageAccounts) };
  const flushed: Promise<void>[] = [];
  for (const table of fillOrder(marts)) {
    if (table.kind === 'working') db.exec(createTable(table));
    if (table === marts.dates) insertRows(db, marts.dates, createDateRows(db, request));
    else db.prepare(fillTable(table)).run(parameters);
    if (table === marts.videos || table === marts.videoHistory) flushed.push(startFlush());
  }
  return flushed;
}

function countExpectedRows(db: Database.Database, marts: Marts): ExpectedRows {
  const tables = marts.all.filter((mart) => mart.kind === 'table' && mart.count !== '') as Table[];
  return Object.fromEntries(
    tables.map(({ name, count }) => [name, db.prepare(count).pluck().get() as number]),
  );
}

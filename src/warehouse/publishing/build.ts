/** Builds the published file beside the one that stands, out of one look at the live file. */
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Expected } from './check.ts';
import { aboutRows, fingerprint } from './facts.ts';
import { attachLive } from './live.ts';
import { createTable, createView, fillTable, insertAll, type Table } from './mart.ts';
import { dictionaryRows } from './marts/about.ts';
import type { Marts } from './marts/all.ts';
import type { Beside } from './beside.ts';
import { CREATE_MOVEMENT_BY_DAY, CREATE_PACKAGE_DAY } from './marts/catalog.ts';
import { CREATE_KEYED } from './marts/columns.ts';
import { CREATE_ACCOUNT_DAY } from './marts/storage.ts';
import type { Order } from './order.ts';
import { beginFlush, PUBLISHED_ID } from './swap.ts';

/** For rows of about 1 KB: a tenth less to write than with pages of 4 KiB. */
const PAGE_BYTES = 16_384;
const CACHE_KIB = 8_000;

/** Builds the file at `draft`. Throws what SQLite throws. */
export async function build(draft: string, marts: Marts, order: Order, beside: Beside): Promise<Expected> {
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
    if ((await tally) === print) copyTally(db, found);
    else await tallyAnew(db, order);
    const expected = fillDays(db, marts, order, print);
    db.exec('commit');
    db.exec('detach live');
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

function fillVideos(db: Database.Database, marts: Marts, afterEach: () => void): void {
  for (const mart of marts.all) if (mart.kind === 'table') db.exec(createTable(mart));
  db.exec(CREATE_KEYED);
  for (const table of [marts.videos, marts.videoHistory]) {
    run(db, table);
    afterEach();
  }
}

/**
 * What the other process found holds where it looked at the same live file; a run under way may have changed it between.
 * Loaded only then: what it needs takes a tenth of the time that a publication takes.
 */
async function tallyAnew(db: Database.Database, order: Order): Promise<void> {
  const { makeTally } = await import('./tally.ts');
  makeTally(db, order, 'temp');
}

function copyTally(db: Database.Database, found: string): void {
  db.exec('create temp table movement (account, package_id, minute, begun, ended, removed, duration, bytes)');
  const reader = new Database(found, { readonly: true });
  try {
    for (const [from, into] of [
      ['movement', 'temp.movement'],
      ['dates', 'main.dates'],
    ] as const) {
      const rows = reader.prepare(`select * from ${from}`).safeIntegers().raw();
      const insert = db.prepare(
        `insert into ${into} values (${rows
          .columns()
          .map(() => '?')
          .join(', ')})`,
      );
      for (const row of rows.iterate()) insert.run(row);
    }
  } finally {
    reader.close();
  }
}

function fillDays(db: Database.Database, marts: Marts, order: Order, print: string): Expected {
  const { today } = order;
  run(db, marts.packages);
  db.exec(CREATE_MOVEMENT_BY_DAY);
  db.prepare(CREATE_PACKAGE_DAY).run({ today });
  db.prepare(CREATE_ACCOUNT_DAY).run({ today, followed: JSON.stringify(order.storageAccounts) });
  for (const table of [marts.storageDaily, marts.storageReadings]) run(db, table);
  run(db, marts.catalogDaily, { today });
  for (const mart of marts.all) if (mart.kind === 'view') db.exec(createView(mart));
  insertAll(db, marts.dictionary, dictionaryRows(marts.all));
  insertAll(db, marts.about, aboutRows(db, order, print));
  return countExpected(db, marts);
}

function run(db: Database.Database, table: Table, parameters: Record<string, unknown> = {}): void {
  const statement = fillTable(table);
  if (statement !== null) db.prepare(statement).run(parameters);
}

function countExpected(db: Database.Database, marts: Marts): Expected {
  const tables = marts.all.filter((mart) => mart.kind === 'table' && mart.count !== '') as Table[];
  return Object.fromEntries(
    tables.map(({ name, count }) => [name, db.prepare(count).pluck().get() as number]),
  );
}

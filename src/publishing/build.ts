/** Builds a new published file from one snapshot of the live file. */
import { rmSync } from 'node:fs';
import { Database } from '../database/sqlite.ts';
import { createCalendar, createClock } from '../lib/calendar.ts';
import { fromTimestamp, toTimestamp } from '../lib/clock.ts';
import { readTime } from '../lib/days.ts';
import { isDamage, toWarehouseError } from '../database/integrity.ts';
import { createFacts } from './about-rows.ts';
import { PUBLISHED_ID } from './replace-file.ts';
import { CACHE_KIB, type ExpectedRows } from './check.ts';
import { createFingerprint, createParameters } from './fingerprint.ts';
import { createTable, createView, fillTable, insertRows } from './marts/mart.ts';
import { about, createDictionaryRows, dictionary, internals } from './marts/about.ts';
import type { Marts } from './marts/marts.ts';
import { nameFields } from './marts/video-columns.ts';
import type { PublishRequest } from './publish-request.ts';

/** For rows of about 1 KB this writes a tenth less than pages of 4 KiB. */
const PAGE_BYTES = 16_384;

/**
 * Builds the file at `draft`. Returns the number of rows that each table must have. Throws WarehouseError if
 * the live file is damaged, otherwise what SQLite throws.
 */
export function build(draft: string, marts: Marts, request: PublishRequest): ExpectedRows {
  rmSync(draft, { force: true });
  const db = new Database(draft);
  try {
    applySettings(db);
    addFunctions(db, request);
    attachLive(db, request.live);
    db.exec('begin');
    for (const table of marts.tables) db.exec(createTable(table));
    const parameters = createParameters(request);
    for (const table of marts.filled) {
      if (table.kind === 'working') db.exec(createTable(table));
      db.prepare(fillTable(table)).run(parameters);
    }
    for (const view of marts.views) db.exec(createView(view));
    insertRows(db, dictionary, createDictionaryRows(marts.documented));
    const facts = createFacts(db, request, createFingerprint(db, request));
    insertRows(db, about, facts.about);
    insertRows(db, internals, facts.internals);
    db.pragma('analysis_limit = 1000');
    db.exec('analyze main');
    const expected = countExpectedRows(db, marts);
    db.exec('commit');
    return expected;
  } catch (error) {
    // the draft is new, so what is damaged is the live file
    throw isDamage(error) ? toWarehouseError(error, request.live) : error;
  } finally {
    db.close();
  }
}

/** No journal and no fsync for the draft: if the build fails, the draft is deleted. */
function applySettings(db: Database): void {
  db.pragma(`main.page_size = ${PAGE_BYTES}`);
  db.pragma('main.journal_mode = OFF');
  db.pragma('main.synchronous = OFF');
  db.pragma('main.locking_mode = EXCLUSIVE');
  db.pragma('foreign_keys = OFF'); // checked at the end
  db.pragma(`main.cache_size = -${CACHE_KIB}`);
  db.pragma('busy_timeout = 5000');
  db.pragma(`main.application_id = ${PUBLISHED_ID}`);
}

/**
 * `service_day`: the day of a time, in the service's calendar. `read_time`: as `readTime`, a time with a zone
 * in the same calendar. `published_names`: the published names of the fields that an edit changed, separated
 * by spaces. `calendar_days(first, last)` has a row for each day of the service's calendar from the first to
 * the last one.
 */
export function addFunctions(db: Database, request: PublishRequest): void {
  const showTime = createClock(request.timezone);
  const dayOf = remember((minute) => showTime(fromTimestamp(minute)).slice(0, 10));
  const columns = nameFields(request);
  const toNames = remember((fields) => {
    const names = fields
      .trim()
      .split(' ')
      .map((field) => columns.get(field) ?? field);
    return [...new Set(names)].join(' ');
  });
  const functions: Record<string, (text: string) => string | null> = {
    service_day: (time) => dayOf(time.slice(0, 16)),
    read_time: (text) => readTime(text, showTime),
    published_names: toNames,
    without_nul: (text) => text.replaceAll('\0', '\uFFFD'),
    without_nul_escape: (json) =>
      json.replace(/\\(u0000|.)/g, (all, one) => (one === 'u0000' ? '\uFFFD' : all)),
  };
  for (const [name, run] of Object.entries(functions))
    db.function(name, { deterministic: true }, (value: unknown) =>
      typeof value === 'string' ? run(value) : value,
    );
  db.table('calendar_days', {
    columns: ['day', 'starts_at', 'ends_at'],
    parameters: ['first', 'last'],
    *rows(...range) {
      const [first, last] = range as [string, string]; // as the SQL of `dates` gives them
      for (const { day, startsAt, endsAt } of createCalendar(request.timezone).days(first, last))
        yield { day, starts_at: toTimestamp(startsAt), ends_at: toTimestamp(endsAt) };
    },
  });
}

/** The same function, which is called once for each text. */
function remember<Result>(run: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    if (!results.has(text)) results.set(text, run(text));
    return results.get(text) as Result;
  };
}

/** Attaches the live file as `live`. */
export function attachLive(db: Database, path: string): void {
  db.prepare('attach ? as live').run(path);
  db.pragma(`live.cache_size = -${CACHE_KIB}`);
}

function countExpectedRows(db: Database, marts: Marts): ExpectedRows {
  const expected: ExpectedRows = {};
  for (const { name, count } of marts.tables)
    if (count !== undefined) expected[name] = db.prepare(count).pluck().get() as number;
  return expected;
}

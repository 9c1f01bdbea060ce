/** Booked days of storage in a lake: no load gives them other figures, unless a correction says so, or a person. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import type { Column, Table } from '../../mart.ts';
import { toLine } from '../copy-lines.ts';
import { listFigures } from '../shipped-tables.ts';
import type { Source } from '../source.ts';
import type { Rows } from './contents.ts';
import { hash, type LakeTable } from './documents.ts';
import type { Lake } from './lake.ts';
import { listFiles } from './pointer.ts';

interface BookedDay {
  hash: string;
  /** The newest correction of the day has these figures. */
  isCorrected: boolean;
}

/** The booked days of an account in the published file. */
export function readBookedDays({ db, marts }: Source, account: string): Map<string, BookedDay> {
  const figures = listFigures(marts.storageDaily);
  const rows = db
    .prepare(
      `select t.day, ${toLine(figures)}, t.is_corrected = 1 and exists (select 1 from storage_corrections c
  where c.account = t.account and c.day = t.day and c.accepted_at = t.observed_at)
from storage_daily t where t.account = ? and t.state = 'booked' order by t.day`,
    )
    .raw()
    .all(account) as [string, string, number][];
  return new Map(
    rows.map(([day, line, isCorrected]) => [day, { hash: toHash(line), isCorrected: isCorrected === 1 }]),
  );
}

const toHash = (line: string): string => createHash('sha1').update(line).digest('hex').slice(0, 16);

/** The days that are booked in the lake, and that the published file contradicts. */
export function findContradicted(
  booked: Readonly<Record<string, string>>,
  ours: ReadonlyMap<string, BookedDay>,
): string[] {
  return Object.entries(booked).flatMap(([day, hash]) => {
    const our = ours.get(day);
    return our?.hash === hash || our?.isCorrected === true ? [] : day;
  });
}

/**
 * The rows of `storage_daily` of an account, but the given days as the lake has them. Reads their files; days that are not in
 * them any more are as in the published file. Throws StoreError.
 */
export async function selectWithBooked(
  lake: Lake,
  { db, marts }: Source,
  account: string,
  base: LakeTable | undefined,
  days: readonly string[],
): Promise<{ rows: Rows; found: readonly string[] }> {
  createKept(db);
  db.prepare('insert into temp.kept_days select * from main.storage_daily where account = ?').run(account);
  const found: string[] = [];
  for await (const row of listRows(lake, base)) {
    const day = toText(row.day, 'DATE');
    if (!days.includes(day)) continue;
    keepRow(db, marts.storageDaily, row);
    found.push(day);
  }
  return { rows: { from: 'from temp.kept_days t order by t.day', parameters: {} }, found };
}

/** The booked days that the files of the lake have, with the hashes of their figures. Throws StoreError. */
export async function readDaysOfLake(
  lake: Lake,
  { db, marts }: Source,
  account: string,
  base: LakeTable | undefined,
): Promise<Record<string, string>> {
  createKept(db);
  for await (const row of listRows(lake, base)) keepRow(db, marts.storageDaily, row);
  const line = toLine(listFigures(marts.storageDaily));
  const rows = db
    .prepare(`select t.day, ${line} from temp.kept_days t where t.account = ? and t.state = 'booked'`)
    .raw()
    .all(account) as [string, string][];
  return Object.fromEntries(rows.map(([day, figures]) => [day, toHash(figures)] as const));
}

const createKept = (db: Source['db']) =>
  void db.exec(
    'drop table if exists temp.kept_days; create temp table kept_days as select * from main.storage_daily where false',
  );

/** The rows of the files of a table that are as they were written. */
async function* listRows(
  { store }: Lake,
  base: LakeTable | undefined,
): AsyncGenerator<Record<string, unknown>> {
  for (const { key, sha256 } of base ? listFiles(base) : []) {
    const found = await store.get(key);
    if (found && hash(found.body) === sha256) yield* await readRows(found.body);
  }
}

function keepRow(db: Source['db'], { columns }: Table, row: Record<string, unknown>): void {
  const values = columns.map(({ name, type }) => toSqlValue(row[name], type));
  db.prepare('delete from temp.kept_days where day = ?').run(toText(row.day, 'DATE'));
  db.prepare(`insert into temp.kept_days values (${columns.map(() => '?').join(', ')})`).run(values);
}

async function readRows(body: Uint8Array): Promise<Record<string, unknown>[]> {
  const bytes = Uint8Array.from(body).buffer;
  return parquetReadObjects({ file: bytes, compressors: { GZIP: (input) => gunzipSync(input) } });
}

function toSqlValue(value: unknown, type: Column['type']): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value instanceof Date ? toText(value, type) : value;
}

function toText(value: unknown, type: Column['type']): string {
  if (!(value instanceof Date)) return String(value);
  const text = value.toISOString().replace('T', ' ');
  return type === 'DATE' ? text.slice(0, 10) : text.slice(0, 19);
}

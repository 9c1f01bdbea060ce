/** A warehouse with something in most of its tables, and all that a file holds. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { execute, rowsOf, valueOf } from './live-file.ts';
import { ACCOUNT, createWalker, PACKAGE, videos } from './package-walker.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

let bytes: Buffer | null = null;

/** Puts a warehouse of 40 videos, each with a former state, to the path; made once for all who ask. */
export async function putFilled(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  if (!bytes) {
    await fill(path, createVirtualClock('2026-03-01T12:00Z'));
    bytes = readFileSync(path);
  } else writeFileSync(path, bytes);
}

async function fill(path: string, clock: VirtualClock): Promise<void> {
  const warehouse = openWarehouse(path, clock);
  await warehouse.register([{ name: ACCOUNT, packages: [{ id: PACKAGE, name: null }] }], clock.now());
  const walker = createWalker(warehouse, clock);
  const ids = Array.from({ length: 40 }, (_, index) => index + 1);
  const content = 'words '.repeat(100);
  for (const title of ['old', 'new']) {
    await walker.whole(videos(ids, { title, content }));
    clock.advance(60_000);
  }
  warehouse.close();
  execute(
    path,
    `insert into storage_day (account, date, state, observed_at)
       values ('main', '2026-02-28', 'booked', '2026-03-01 02:00:00');
     update run set status = 'succeeded', finished_at = started_at`,
  );
}

/** Every row of every table, and what else makes the file what it is; all but when it was restored. */
export function wholeOf(path: string): unknown {
  const tables = rowsOf(path, "select name from sqlite_schema where type = 'table' order by name");
  const rows = tables.map(({ name }) => {
    const all = rowsOf(path, `select * from "${name}"`).map((row) =>
      JSON.stringify({ ...row, restored_at: null }),
    );
    return [name, all.sort()];
  });
  return {
    rows: Object.fromEntries(rows) as unknown,
    schema: rowsOf(path, 'select type, name, sql from sqlite_schema order by type, name'),
    applicationId: valueOf(path, 'pragma application_id'),
    format: valueOf(path, 'pragma user_version'),
  };
}

/** Lets an index of the file say it is of other columns than it is: its tables are whole, and nobody meets that soon. */
export function misindex(path: string): void {
  const client = new Database(path);
  client.exec(`insert into quarantine (account, stream, package_id, record_id, reason, raw, seen_at)
    values ('main', 'videos', 101, '7', 'bad', '{}', '2026-03-01 12:00:00')`);
  client.unsafeMode(true);
  client.pragma('writable_schema = on');
  client.exec(
    "update sqlite_schema set sql = replace(sql, '`package_id`,`record_id`', '`record_id`,`package_id`') where name = 'quarantine_record'",
  );
  client.close();
}

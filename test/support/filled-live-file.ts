/** A live file with a known content: made by our own migrations, filled by SQL. */
import { join } from 'node:path';
import { openFile } from '../../src/warehouse/file.ts';
import { execute } from './live-file.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Cell = string | number | null;

const literal = (value: Cell) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);

/** An INSERT of one row. */
export function insert(table: string, row: Readonly<Record<string, Cell>>): string {
  const names = Object.keys(row).map((name) => `"${name}"`);
  return `insert into "${table}" (${names.join(', ')}) values (${Object.values(row).map(literal).join(', ')});`;
}

/** A package of the account `main`. */
export const packageRow = (id: number, row: Readonly<Record<string, Cell>> = {}) =>
  insert('package', { account: 'main', package_id: id, name: `Package ${id}`, order: 'trusted', ...row });

let changes = 0;

/** A video of package 101 that was seen at noon of 1 March 2026 in Seoul and is live since, unless said otherwise. */
export function videoRow(id: number, row: Readonly<Record<string, Cell>> = {}): string {
  return insert('video', {
    account: 'main',
    package_id: 101,
    id,
    title: `Video ${id}`,
    cdate: '2026-02-01 10:20:30.5',
    duration: 60_000,
    filesize: 1_073_741_824,
    first_seen_at: '2026-03-01 03:00:00',
    changed_at: '2026-03-01 03:00:00',
    change_seq: ++changes,
    ...row,
  });
}

/** Changes a video, as a walk does: its former state goes to `video_version` by the trigger. */
export function change(id: number, at: string, what: string): string {
  return `update video set ${what}, changed_at = '${at}', change_seq = ${++changes} where id = ${id};`;
}

const FIGURES = ['mov_org', 'encoder', 'ad_org', 'ad_encoder'];

/** A day of storage: `bytes` of each of the five kinds. */
export function storageRow(
  date: string,
  bytes: number | null,
  row: Readonly<Record<string, Cell>> = {},
): string {
  const figures = Object.fromEntries(
    FIGURES.flatMap((name) => [
      [`${name}_cnt`, 10],
      [`${name}_size`, bytes],
    ]),
  );
  const rest = { image_count: 10, image_size: bytes, state: 'booked', observed_at: `${date} 20:00:00` };
  return insert('storage_day', { account: 'main', date, ...figures, ...rest, ...row });
}

/** A live file in a folder of its own with this content; gives its path. */
export function liveFileWith(...statements: string[]): string {
  const path = join(temporaryFolder(), 'live.db');
  openFile(path, Date.parse('2026-03-01T00:00:00Z')).$client.close();
  const counted = 'update warehouse_state set change_seq = (select coalesce(max(change_seq), 0) from video);';
  execute(path, [...statements, counted].join('\n'));
  return path;
}

/** Writes the files of a load: slices whose rows changed are written again, the others keep their files. */
import { setImmediate } from 'node:timers/promises';
import { writeParts } from '../../parquet/parquet-parts.ts';
import type { Source } from '../source.ts';
import type { LakeContent, Rows } from './contents.ts';
import type { LakeFile, LakeSlice, LakeTable } from './documents.ts';
import type { Lake } from './lake.ts';
import { toDataKey, type LakeOwner } from './layout.ts';
import { toLateLoad } from './with-store.ts';

/** What a load writes to. */
export interface Writing {
  lake: Lake;
  source: Source;
  owner: LakeOwner;
  load: number;
  /** Of this attempt: no other writer has files of these names. */
  attempt: string;
  /** The load is given up after this time, by `performance.now()`. */
  deadline: number;
  /** Facts for the footer of each file. */
  facts: Readonly<Record<string, string>>;
  /** The last number of the files of a table. */
  parts: Map<string, number>;
}

/** Rows of a file: readers open few files, and engines read several of them at the same time. */
const WIDE_ROWS = 250_000;
const NARROW_ROWS = 1_000_000;
const NARROW_COLUMNS = 10;
/** A file is made in memory. */
export const MAX_BYTES = 32 * 2 ** 20;

export const maxRows = ({ columns }: Pick<LakeContent, 'columns'>): number =>
  columns.length <= NARROW_COLUMNS ? NARROW_ROWS : WIDE_ROWS;

/** Writes all slices of a table that `base` has not, or has with other rows. Throws StoreError, and what SQLite throws. */
export async function writeTable(
  writing: Writing,
  content: LakeContent,
  base: LakeTable | undefined,
): Promise<LakeTable> {
  const known = new Map(base?.slices.map((each) => [each.slice, each]));
  const slices: LakeSlice[] = [];
  for (const [slice, checksum] of [...content.checksums].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const before = known.get(slice);
    const files = before?.checksum === checksum ? before.files : await writeSlice(writing, content, slice);
    slices.push({ slice, checksum, files });
  }
  return { table: content.name, slices };
}

/** Writes all rows of a slice. */
export const writeSlice = (writing: Writing, content: LakeContent, slice: string): Promise<LakeFile[]> =>
  writeFiles(writing, content, slice, content.select(slice), null);

/** `since`: the rows are the former states that were superseded after it; null: all of the slice. */
export async function writeFiles(
  writing: Writing,
  content: LakeContent,
  slice: string,
  rows: Rows,
  since: number | null,
): Promise<LakeFile[]> {
  const { lake, source, owner, load, attempt, parts } = writing;
  const { store, options } = lake;
  const { name: table, columns, required } = content;
  const facts = { ...writing.facts, 'vodhouse.table': table };
  const files: LakeFile[] = [];
  const written = writeParts(
    source.db,
    { columns, ...rows },
    {
      ...{ required, facts, compression: options.compression },
      ...{ maxRows: maxRows(content), maxBytes: MAX_BYTES },
    },
  );
  for (const { body, bytes, sha256, rows: count, minChangeSeq, maxChangeSeq } of written) {
    const part = (parts.get(table) ?? 0) + 1;
    parts.set(table, part);
    const key = toDataKey({ table, owner, month: slice === '' ? null : slice, load, attempt, part });
    const etag = await store.put(key, body);
    files.push({
      ...{ key, rows: count, bytes, sha256, etag },
      ...{ min_change_seq: minChangeSeq, max_change_seq: maxChangeSeq, since },
    });
    await assertInTime(writing);
  }
  return files;
}

/** Lets signals be seen, too. */
async function assertInTime({ lake, deadline }: Writing): Promise<void> {
  await setImmediate();
  if (performance.now() <= deadline) return;
  throw toLateLoad(lake.options.loadTimeoutMs);
}

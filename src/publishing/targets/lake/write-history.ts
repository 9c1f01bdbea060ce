/** Former states: a month gets new files, and few of them. */
import { storeSuperseded } from '../delta.ts';
import type { LakeContent } from './contents.ts';
import type { LakeFile, LakeSlice, LakeTable } from './documents.ts';
import { MAX_BYTES, maxRows, writeFiles, writeSlice, type Writing } from './write-tables.ts';

/** What the lake has of an account. */
export interface HistoryBase {
  table: LakeTable | undefined;
  /** The files have the states that were superseded up to this `change_seq`. */
  mark: number;
}

/** So many small files of a month are merged by the next load. */
const MAX_SMALL_FILES = 4;

/**
 * Adds the states to their months that were superseded since the last load. A month whose rows are others than that (a package
 * was forgotten, or came back) is written again. Small files of a month are merged, all of them once it is over.
 */
export async function writeHistory(
  writing: Writing,
  account: string,
  content: LakeContent,
  base: HistoryBase,
): Promise<LakeTable> {
  const known = new Map(base.table?.slices.map((each) => [each.slice, each]));
  const presentMonth = writing.source.publishedAt.slice(0, 7);
  const slices: LakeSlice[] = [];
  for (const [month, checksum] of [...content.checksums].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const before = known.get(month);
    const files = before
      ? await extendMonth(writing, account, content, before, base.mark, checksum, month < presentMonth)
      : null;
    slices.push({ slice: month, checksum, files: files ?? (await writeSlice(writing, content, month)) });
  }
  return { table: content.name, slices };
}

/** The files of a month that the lake has already. Null if new states alone do not make it what it is now. */
async function extendMonth(
  writing: Writing,
  account: string,
  content: LakeContent,
  before: LakeSlice,
  mark: number,
  checksum: string,
  isOver: boolean,
): Promise<LakeFile[] | null> {
  const isSame = before.checksum === checksum;
  const small = listSmall(before.files, maxRows(content));
  const isMerged = small.length >= (isOver ? 2 : MAX_SMALL_FILES);
  if (isSame && !(isOver && isMerged)) return before.files;
  const kept = isMerged ? before.files.slice(0, before.files.length - small.length) : before.files;
  const since = isMerged ? (small[0]?.since ?? 0) : mark;
  if (isMerged && kept.length === 0) return null; // the month is written as a whole
  storeSuperseded(writing.source, account, since);
  const month = before.slice;
  if (!isWhole(writing, kept, month, checksum)) return null;
  const added = await writeFiles(writing, content, month, { from: SUPERSEDED, parameters: { month } }, since);
  return [...kept, ...added];
}

/** The files at the end that are no full ones: a file is full by its rows, or by its bytes where texts are long. */
function listSmall(files: readonly LakeFile[], fullRows: number): LakeFile[] {
  const last = files.findLastIndex(({ rows, bytes }) => rows >= fullRows / 2 || bytes >= MAX_BYTES / 2);
  return files.slice(last + 1);
}

const SUPERSEDED =
  'from temp.changed_history c cross join main.video_history t on t.rowid = c.row where substr(t.valid_to, 1, 7) = :month order by c.row';

/** Do the kept files and the found rows make the month? A checksum is `rows/sum/greatest` of the `change_seq`. */
function isWhole(
  { source: { db } }: Writing,
  kept: readonly LakeFile[],
  month: string,
  checksum: string,
): boolean {
  const found = db.prepare(`select count(*) ${SUPERSEDED}`).pluck().get({ month }) as number;
  const keptRows = kept.reduce((sum, { rows }) => sum + rows, 0);
  return keptRows + found === Number(checksum.split('/')[0]);
}

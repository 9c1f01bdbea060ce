/** Loads what belongs to no account: the runs and facts of a warehouse, and the days and the dictionary that all share. */
import { createHash } from 'node:crypto';
import { SHAPE } from '../../fingerprint.ts';
import { createRowsOf } from '../../marts/date-rows.ts';
import { createDictionaryRows } from '../../marts/about.ts';
import { createMarts } from '../../marts/marts.ts';
import { insertRows, type Table } from '../../mart.ts';
import type { Source } from '../source.ts';
import { listWarehouseContents, type LakeContent } from './contents.ts';
import { readHead } from './head.ts';
import type { Lake } from './lake.ts';
import { loadOwner, PointerMovedError, type OwnerLoaded } from './load-owner.ts';
import type { Head } from './pointer.ts';
import { StoreError } from './store.ts';
import { writeTable } from './write-tables.ts';

/**
 * Throws LostLeaseError, StaleSourceError, StoreError. `sharedHead`: of what belongs to all. `accounts`: those that this
 * warehouse has loaded.
 */
export async function loadWarehouse(
  lake: Lake,
  source: Source,
  sharedHead: Head | null,
  accounts: readonly string[],
  isWhole: boolean,
): Promise<OwnerLoaded> {
  const shared = await onHead(sharedHead, (head) => loadShared(lake, source, head, isWhole));
  const owner = { warehouse: source.warehouseId };
  const own = await onHead(await readHead(lake, owner), (head) => {
    const contents = listWarehouseContents(source);
    const isOther = head !== null && head.pointer.facts.timeline !== source.timeline;
    return loadOwner(lake, source, {
      ...{ owner, head, contents, isWhole: isWhole || isOther },
      write: async (writing, base, kept) => ({
        tables: await inTurn(contents, (content) =>
          writeTable(
            writing,
            content,
            kept.find(({ table }) => table === content.name),
          ),
        ),
        facts: {
          ...{ kind: head === null ? 'first' : isOther ? 'reload' : 'changes', timeline: source.timeline },
          ...{ shape: source.shape, change_seq: source.changeSeq },
          accounts: [...new Set([...base.facts.accounts, ...accounts])].sort(),
        },
        state: {},
      }),
    });
  });
  return {
    ...own,
    isSwept: own.isSwept || shared.isSwept,
    rows: shared.rows + own.rows,
    kind: own.kind === 'nothing' ? shared.kind : own.kind,
  };
}

/** Begins again where another load came in between. */
async function onHead(
  head: Head | null,
  load: (head: Head | null) => Promise<OwnerLoaded>,
): Promise<OwnerLoaded> {
  try {
    return await load(head);
  } catch (error) {
    if (error instanceof PointerMovedError) return load(error.head);
    throw error;
  }
}

/** Days that any warehouse needs, in one time zone; the dictionary of the newest version. */
async function loadShared(
  lake: Lake,
  source: Source,
  head: Head | null,
  isWhole: boolean,
): Promise<OwnerLoaded> {
  const contents = [listDates(source, head), listDictionary(source, head)];
  return loadOwner(lake, source, {
    ...{ owner: 'all', head, contents, isWhole },
    write: async (writing, base, kept) => ({
      tables: await inTurn(contents, (content) =>
        writeTable(
          writing,
          content,
          kept.find(({ table }) => table === content.name),
        ),
      ),
      facts: {
        ...{ kind: head === null ? 'first' : 'changes', warehouse_id: source.warehouseId },
        shape: String(Math.max(SHAPE, Number(base.facts.shape ?? 0))),
      },
      state: {},
    }),
  });
}

/** Throws StoreError where the lake has the days of another time zone. */
export function assertTimezone({ store }: Lake, { timezone }: Source, head: Head | null): void {
  const theirs = head?.pointer.facts.timezone;
  if (theirs === undefined || theirs === timezone) return;
  throw new StoreError(
    `the lake ${store.name} has the days of ${theirs}, this warehouse those of ${timezone}`,
    {
      hint: 'a lake has one time zone: name another folder or prefix for this warehouse',
      retry: 'hourly',
    },
  );
}

/** The days of the file, and those between them and the ones that the lake has. Their range is the checksum. */
function listDates({ db, marts, timezone }: Source, head: Head | null): LakeContent {
  const [first, last] = db.prepare('select min(day), max(day) from dates').raw().get() as [string, string];
  const theirs = head?.pointer.checksums[marts.dates.name]?.['']?.split(' to ') ?? [];
  const sorted = [first, last, ...theirs].sort();
  const [from, to] = [sorted[0] ?? first, sorted.at(-1) ?? last];
  return {
    ...{ name: marts.dates.name, columns: marts.dates.columns, required: marts.dates.key },
    checksums: new Map([['', `${from} to ${to}`]]),
    select: () => fill(db, marts.dates, createRowsOf(timezone, from, to), 't.day'),
  };
}

/** Every column of this version: workers leave out others. A newer version's stays as it is. */
function listDictionary({ db, marts }: Source, head: Head | null): LakeContent {
  const { name, columns, key } = marts.dictionary;
  const rows = createDictionaryRows(createMarts({ durationUnit: 'ms', exclude: [] }).all);
  const ours = createHash('sha1').update(JSON.stringify(rows)).digest('hex');
  const isNewer = Number(head?.pointer.facts.shape ?? 0) > SHAPE;
  const checksum = (isNewer && head?.pointer.checksums[name]?.['']) || ours;
  return {
    ...{ name, columns, required: key, checksums: new Map([['', checksum]]) },
    select: () => fill(db, marts.dictionary, rows, 't.table_name, t.position'),
  };
}

/** Rows that no published table has as they are, in a temporary table. */
function fill(
  db: Source['db'],
  table: Table,
  rows: Iterable<readonly unknown[]>,
  order: string,
): ReturnType<LakeContent['select']> {
  db.exec(`drop table if exists temp.lake_rows;
create temp table lake_rows as select * from main."${table.name}" where false`);
  insertRows(db, { ...table, name: 'lake_rows' }, rows);
  return { from: `from temp.lake_rows t order by ${order}`, parameters: {} };
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

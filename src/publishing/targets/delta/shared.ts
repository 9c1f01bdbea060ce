/** The tables of a lake that belong to no account: those of a warehouse, the calendar, the dictionary. */
import type { Loaded } from '../target.ts';
import { hashSlices, ownRows, writeSlice } from './files.ts';
import { filesOf, toRemoval } from './lake.ts';
import { planSmall, type LoadContext } from './load.ts';
import { listOfWarehouse, toForm, type DeltaTable } from './tables.ts';

/** Brings them up to the published file. Throws StoreError, ConflictError. */
export async function loadShared(context: LoadContext): Promise<Loaded> {
  let rows = 0;
  for (const deltaTable of listOfWarehouse(context.source.marts))
    rows += await replaceSlices(context, deltaTable, context.source.warehouseId);
  rows += await replaceSlices(
    context,
    { table: context.source.marts.dictionary, partition: null, sliceBy: null },
    null,
  );
  rows += await addDates(context);
  return { kind: rows === 0 ? 'nothing' : 'changes', rows, notes: [] };
}

/** Replaces the files whose rows have another hash. Returns the number of rows. */
async function replaceSlices(
  { lake, source }: LoadContext,
  deltaTable: DeltaTable,
  owner: string | null,
): Promise<number> {
  const form = toForm(deltaTable);
  const { snapshot } = await lake.getLog(form.name);
  const { removed, slices } = planSmall(
    source,
    deltaTable,
    null,
    filesOf(snapshot, deltaTable.partition, owner),
  );
  const partitionValues =
    deltaTable.partition === null || owner === null ? {} : { [deltaTable.partition]: owner };
  const added = [];
  for (const slice of slices)
    added.push(await writeSlice(lake.store, source.db, deltaTable, slice, { partitionValues, tags: {} }));
  if (removed.length + added.length === 0 && snapshot.version >= 0) return 0;
  await lake.commit(form, [...removed.map(toRemoval), ...added.map((add) => ({ add }))], [owner]);
  return added.reduce((sum, { stats }) => sum + (JSON.parse(stats) as { numRecords: number }).numRecords, 0);
}

/** A day is the same for all warehouses: those that no file has are added, for the years of several warehouses may differ. */
async function addDates({ lake, source }: LoadContext): Promise<number> {
  const deltaTable: DeltaTable = { table: source.marts.dates, partition: null, sliceBy: null };
  const form = toForm(deltaTable);
  const { snapshot } = await lake.getLog(form.name);
  const years = new Set([...snapshot.files.values()].map(({ tags }) => tags['year']));
  const all = hashSlices(source.db, { ...deltaTable, sliceBy: 'year' }, ownRows(deltaTable.table, null));
  const missing = all.filter(({ tags }) => !years.has(tags['slice']));
  if (missing.length === 0 && snapshot.version >= 0) return 0;
  const added = [];
  for (const slice of missing) {
    const owner = { partitionValues: {}, tags: { year: slice.tags['slice'] ?? '' } };
    added.push(await writeSlice(lake.store, source.db, deltaTable, slice, owner));
  }
  await lake.commit(
    form,
    added.map((add) => ({ add })),
    [null],
  );
  return added.reduce((sum, { stats }) => sum + (JSON.parse(stats) as { numRecords: number }).numRecords, 0);
}

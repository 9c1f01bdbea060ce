/** Loads what belongs to a warehouse and to no account: its runs and walks, and the facts about its published file. */
import { findWarehouseChanges } from '../delta.ts';
import type { Source } from '../source.ts';
import type { Holder, Loaded } from '../target.ts';
import { StaleSourceError } from '../load-errors.ts';
import { readSlices } from './account-state.ts';
import { loadCalendar, loadDictionary } from './calendar.ts';
import type { TargetColumns } from './ensure-schema.ts';
import { loadSlices } from './load-slices.ts';
import { begin, type Session } from './session.ts';
import type { LoadContext } from './stage.ts';

export interface WarehouseLoadOptions {
  source: Source;
  holder: Holder;
  targetColumns: TargetColumns;
  lockTimeoutMs: number;
  loadTimeoutMs: number;
  /** Send everything again, whatever the target has. */
  isRebuild: boolean;
}

/** Throws what pg throws; then nothing was changed. */
export async function loadWarehouse(session: Session, options: WarehouseLoadOptions): Promise<Loaded> {
  const { source, targetColumns } = options;
  const { warehouseId } = source;
  const context: LoadContext = { session, db: source.db, targetColumns, onNul: () => undefined };
  await begin(session, options);
  const isWhole = (await lockWarehouse(session, options)) || options.isRebuild;
  if (source.isReplaced()) throw new StaleSourceError();
  let rows = await loadCalendar(context, source, isWhole);
  const known = isWhole ? () => new Map<string, string>() : await readSlices(session, warehouseId);
  rows += await loadDictionary(session, source, known('dictionary').get(''));
  for (const changes of findWarehouseChanges(source, known)) {
    const done = await loadSlices(context, { warehouseId }, changes, { isWhole, mayReplaceBooked: false });
    rows += done.rows;
  }
  await session.execute('COMMIT');
  return { kind: isWhole ? 'reload' : rows > 0 ? 'changes' : 'nothing', rows, findings: [] };
}

/** Brings the dictionary up to this version, whatever the last load found. Throws what pg throws; then nothing was changed. */
export async function mendDictionary(
  session: Session,
  options: Pick<WarehouseLoadOptions, 'source' | 'lockTimeoutMs' | 'loadTimeoutMs'>,
): Promise<void> {
  await begin(session, options);
  await loadDictionary(session, options.source, undefined);
  await session.execute('COMMIT');
}

/** Locks the row of the warehouse. Is everything loaded again, because the timeline is another one? */
async function lockWarehouse(session: Session, { source, holder }: WarehouseLoadOptions): Promise<boolean> {
  const { warehouseId, timeline, version } = source;
  const table = session.name('vodhouse_warehouse');
  await session.execute(`INSERT INTO ${table} (warehouse_id) VALUES ($1) ON CONFLICT DO NOTHING`, [
    warehouseId,
  ]);
  const row = await session.queryOne<{ timeline: string | null }>(
    `SELECT timeline FROM ${table} WHERE warehouse_id = $1 FOR UPDATE`,
    [warehouseId],
  );
  await session.execute(
    `UPDATE ${table} SET timeline = $2, worker = $3, version = $4, loaded_at = clock_timestamp() WHERE warehouse_id = $1`,
    [warehouseId, timeline, holder.worker, version],
  );
  return row?.timeline !== timeline;
}

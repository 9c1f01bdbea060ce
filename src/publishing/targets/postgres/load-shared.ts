/** Loads the tables that belong to no account: the runs and facts of a warehouse, the calendar, the dictionary. */
import { listSharedTables, listWarehouseTables } from '../changes.ts';
import type { Loaded } from '../target.ts';
import { recordLoad, type Place } from './load.ts';
import { replace, type LoadContext } from './rows.ts';
import { begin, type Session } from './session.ts';
import { WAREHOUSE_ID } from './tables.ts';

/** As `Target.loadShared`. Throws what pg throws; then nothing was changed. */
export async function loadShared(session: Session, place: Place): Promise<Loaded> {
  const { config, source } = place;
  const startedAt = performance.now();
  const context: LoadContext = { session, source, onNul: () => undefined };
  const everything = { where: 'true', parameters: {} };
  await begin(session, config);
  const isLoaded = (await readPublication(session, source.warehouseId)) === source.publicationId;
  let rows = 0;
  if (!isLoaded) {
    for (const table of listWarehouseTables(source.marts))
      rows += await replace(context, { table, owner: 'warehouse', rows: everything });
    for (const table of listSharedTables(source.marts))
      rows += await replace(context, { table, owner: 'everybody', rows: everything });
  }
  if (rows === 0) {
    await session.execute('ROLLBACK');
    return { kind: 'nothing', rows, notes: [] };
  }
  await recordLoad(session, place, { account: null, kind: 'changes', since: null, rows, startedAt });
  await session.execute('COMMIT');
  return { kind: 'changes', rows, notes: [] };
}

/** The publication that was loaded last; null if there is none. */
async function readPublication(session: Session, warehouseId: string): Promise<string | null> {
  const row = await session.queryOne<{ publication_id: string | null }>(
    `SELECT value::jsonb ->> 0 AS publication_id FROM ${session.name('about')} WHERE ${WAREHOUSE_ID} = $1 AND key = 'publications'`,
    [warehouseId],
  );
  return row?.publication_id ?? null;
}

/** The one row of the file: the counter that stamps every row change, and the time zone of the booked days. */
import { eq, sql } from 'drizzle-orm';
import type { Db, Tx } from '../../database/connection.ts';
import { warehouseState } from '../../database/schema/runs.ts';

/** Prepares: which is the last `change_seq` handed out? */
export function prepareLastChangeSeq(db: Db): () => number {
  const query = db.select({ seq: warehouseState.change_seq }).from(warehouseState).prepare();
  return () => query.get()?.seq ?? 0;
}

/** Prepares: note the last `change_seq` handed out. */
export function prepareNoteChangeSeq(db: Db): (seq: number) => void {
  const query = db
    .update(warehouseState)
    .set({ change_seq: sql`${sql.placeholder('seq')}` })
    .where(eq(warehouseState.singleton, 1))
    .prepare();
  return (seq) => {
    query.run({ seq });
  };
}

/** The time zone by which days were booked; null before it is recorded. */
export function readZone(tx: Tx): string | null {
  return tx.select({ timezone: warehouseState.timezone }).from(warehouseState).get()?.timezone ?? null;
}

/** Records the time zone by which days are booked. */
export function writeZone(tx: Tx, timezone: string): void {
  tx.update(warehouseState).set({ timezone }).where(eq(warehouseState.singleton, 1)).run();
}

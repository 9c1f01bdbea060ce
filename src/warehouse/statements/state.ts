/** The counter that stamps every row change. */
import { eq, sql } from 'drizzle-orm';
import type { Db } from '../file.ts';
import { warehouseState } from '../schema/runs.ts';

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
    .where(eq(warehouseState.one, 1))
    .prepare();
  return (seq) => {
    query.run({ seq });
  };
}

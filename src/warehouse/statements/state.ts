/** The counter that stamps every row change. */
import { eq } from 'drizzle-orm';
import type { Tx } from '../file.ts';
import { warehouseState } from '../schema/runs.ts';

/** The last `change_seq` handed out. */
export function lastChangeSeq(tx: Tx): number {
  return tx.select({ seq: warehouseState.change_seq }).from(warehouseState).get()?.seq ?? 0;
}

/** Notes the last `change_seq` handed out. */
export function noteChangeSeq(tx: Tx, seq: number): void {
  tx.update(warehouseState).set({ change_seq: seq }).where(eq(warehouseState.one, 1)).run();
}

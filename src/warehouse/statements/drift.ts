/** Where the service's answers stopped matching docs/service.md: one row an account, stream, field and kind. */
import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '../../database/connection.ts';
import { drift, type DriftKind } from '../../database/schema/videos.ts';

/** A field that departed somewhere in an answer; `sample` is the first such value as JSON, shortened. */
export interface FieldDrift {
  field: string;
  kind: DriftKind;
  sample: string | null;
}

type DriftRow = typeof drift.$inferSelect;
export type DriftStream = DriftRow['stream'];

/** Notes what an answer held at the moment `at`, and gives how many were new. What is known already is only seen again. */
export function noteDrift(
  tx: Tx,
  account: string,
  stream: DriftStream,
  found: readonly FieldDrift[],
  at: string,
): number {
  let added = 0;
  for (const { field, kind, sample } of found) {
    if (seeAgain(tx, { account, stream, field, kind }, at)) continue;
    const row = { account, stream, field, kind, sample, first_seen_at: at, last_seen_at: at };
    tx.insert(drift).values(row).run();
    added++;
  }
  return added;
}

/** The same drift was there once more, in records that were not read again: `keys` are fields and kinds. */
export function touchDrift(
  tx: Tx,
  account: string,
  stream: DriftStream,
  keys: readonly (readonly [field: string, kind: DriftKind])[],
  at: string,
): void {
  for (const [field, kind] of keys) seeAgain(tx, { account, stream, field, kind }, at);
}

/** Only forward: answers may be stored in another order than they came. Gives false where nobody saw it before. */
function seeAgain(tx: Tx, key: Pick<DriftRow, 'account' | 'stream' | 'field' | 'kind'>, at: string): boolean {
  const { changes } = tx
    .update(drift)
    .set({ last_seen_at: sql`max(${drift.last_seen_at}, ${at})` })
    .where(
      and(
        eq(drift.account, key.account),
        eq(drift.stream, key.stream),
        eq(drift.field, key.field),
        eq(drift.kind, key.kind),
      ),
    )
    .run();
  return changes > 0;
}

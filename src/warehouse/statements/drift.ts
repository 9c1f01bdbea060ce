/** Where the service's responses stopped matching docs/service.md: one row per account, stream, field and kind. */
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { drift } from '../../database/schema/videos.ts';
import type { DriftKind } from '../../lib/service-fields.ts';

/** A field that differed somewhere in a response; `sample` is the first such value as JSON, shortened. */
export interface FieldDrift {
  field: string;
  kind: DriftKind;
  sample: string | null;
}

export type DriftStream = (typeof drift.$inferSelect)['stream'];

/** Sets a later `last_seen_at`, only forward: responses may be stored out of order. */
const updateSeenAt = query<
  never,
  { account: string; stream: DriftStream; field: string; kind: DriftKind; at: string }
>(
  `update drift set last_seen_at = max(last_seen_at, :at)
    where account = :account and stream = :stream and field = :field and kind = :kind`,
).run;

/** Records the drift of a response, and returns how many kinds were new. Known drift only gets a later `last_seen_at`. */
export function recordDrift(
  tx: Tx,
  account: string,
  stream: DriftStream,
  found: readonly FieldDrift[],
  at: string,
): number {
  const added = found.filter(
    ({ field, kind }) => updateSeenAt(tx, { account, stream, field, kind, at }) === 0,
  );
  for (const departure of added) {
    const row = { account, stream, ...departure, first_seen_at: at, last_seen_at: at };
    tx.insert(drift).values(row).run();
  }
  return added.length;
}

/** Records that known drift occurred again, in records that were not read again. */
export function touchDrift(
  tx: Tx,
  account: string,
  stream: DriftStream,
  keys: readonly (readonly [field: string, kind: DriftKind])[],
  at: string,
): void {
  for (const [field, kind] of keys) updateSeenAt(tx, { account, stream, field, kind, at });
}

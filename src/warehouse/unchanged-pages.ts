/** Pages with unchanged bytes: their records are not read, only the checkpoint moves. */
import { toTimestamp } from '../lib/clock.ts';
import type { Tx } from '../database/connection.ts';
import type { DriftKind } from '../service/service-fields.ts';
import { touchDrift } from './statements/drift.ts';
import { findPage, type PagePlace } from './statements/page-hash.ts';
import { countLive } from './statements/video.ts';
import { advanceWalk } from './statements/walk.ts';
import type { PageToStore } from './store-page.ts';
import type { IdRange } from '../sync/package-key.ts';

/** What is known of a page whose records need not be read. */
export interface UnchangedPage {
  /** The hash of its records: see PageEnvelope. */
  hash: string;
  records: number;
  pageSize: number;
  /** Its lowest and its highest id. */
  first: number;
  last: number;
  /** The range in which it shows every live id, if its place in the list is the same. */
  proof: IdRange;
  /** The drift in its records, by field and kind. */
  drift: readonly (readonly [field: string, kind: DriftKind])[];
}

/** A recognised page of a walk. */
export type UnchangedPageToStore = Pick<UnchangedPage, 'records' | 'drift'> &
  Pick<PageToStore, 'key' | 'now' | 'gap' | 'checkpoint'> & {
    /** Null for a quick walk that has read only known pages: it has no row. */
    walkId: number | null;
  };

/**
 * What is known of the page at this place. It is forgotten when one of the rows that it describes changes.
 */
export function findKnownPage(tx: Tx, place: PagePlace): UnchangedPage | null {
  const row = findPage(tx, place);
  if (!row) return null;
  const { hash, records, page_size: pageSize, first_id: first, last_id: last } = row;
  const proof = { low: row.proof_low, high: row.proof_high };
  const drift = row.drift === null ? [] : (JSON.parse(row.drift) as UnchangedPage['drift']);
  return { hash, records, pageSize, first, last, proof, drift };
}

/** Stores a recognised page: only the checkpoint moves. */
export function storeUnchangedPage(tx: Tx, page: UnchangedPageToStore): void {
  const { key, walkId, gap, records, drift, checkpoint } = page;
  touchDrift(tx, { ...key, stream: 'videos' }, drift, toTimestamp(page.now));
  if (walkId === null) return;
  const unsettled = gap ? countLive(tx, { ...key, ...gap }) : 0;
  const counts = { added: 0, edited: 0, unchanged: records, restored: 0, quarantined: 0, unsettled };
  advanceWalk(tx, walkId, { ...counts, pages: 1, recognised: 1 }, checkpoint);
}

/** Pages with unchanged bytes: their records are not read, only the checkpoint moves. */
import { toTimestamp } from '../lib/clock.ts';
import type { Tx } from '../database/connection.ts';
import type { DriftKind } from '../lib/service-fields.ts';
import { getChangeSeq } from './statements/warehouse-state.ts';
import { touchDrift } from './statements/drift.ts';
import { confirmPageHash, findPage, hasChangedSince, type PagePlace } from './statements/page-hash.ts';
import { findOpenVideoIds } from './statements/quarantine.ts';
import { findCandidatesBetween } from './statements/removal.ts';
import { countLive } from './statements/video.ts';
import { advanceWalk, type PageCounts } from './statements/walk.ts';
import type { PageToStore } from './store-page.ts';
import type { IdRange } from '../lib/package-key.ts';

/** What is known of a page whose records need not be read. */
export interface UnchangedPage {
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
  Pick<PageToStore, 'account' | 'packageId' | 'walkId' | 'page' | 'answeredAt' | 'gap' | 'checkpoint'>;

/** The hash of the records of a page; null if it is not known. */
export const findPageHash = (tx: Tx, place: PagePlace): string | null => findPage(tx, place)?.hash ?? null;

/**
 * The page at this place, if its records have this hash and the rows still match: no row of its proof has changed, is a
 * candidate, or is in quarantine.
 */
export function recognisePage(tx: Tx, page: PagePlace & { hash: string | null }): UnchangedPage | null {
  const row = findPage(tx, page);
  if (!row || row.hash !== page.hash) return null;
  const proof = { low: row.proof_low, high: row.proof_high };
  const range = { ...page, ...proof };
  const isInProof = (id: string) => Number(id) >= proof.low && Number(id) <= proof.high;
  const isCurrent =
    !hasChangedSince(tx, { ...range, changeSeq: row.change_seq }) &&
    findCandidatesBetween(tx, range).length === 0 &&
    !findOpenVideoIds(tx, page).some(isInProof);
  if (!isCurrent) return null;
  const { records, page_size: pageSize, first_id: first, last_id: last } = row;
  const drift = row.drift === null ? [] : (JSON.parse(row.drift) as UnchangedPage['drift']);
  return { records, pageSize, first, last, proof, drift };
}

/** Stores a recognised page: only the checkpoint moves. */
export function storeUnchangedPage(tx: Tx, page: UnchangedPageToStore): PageCounts {
  const { account, packageId, page: number, gap, records, checkpoint } = page;
  touchDrift(tx, { account, stream: 'videos', packageId }, page.drift, toTimestamp(page.answeredAt));
  const place = { account, packageId, page: number, pageSize: checkpoint.pageSize };
  confirmPageHash(tx, { ...place, changeSeq: getChangeSeq(tx) });
  const unsettled = gap ? countLive(tx, { account, packageId, ...gap }) : 0;
  const counts = { inserted: 0, updated: 0, unchanged: records, restored: 0, quarantined: 0, unsettled };
  advanceWalk(tx, page.walkId, { ...counts, pages: 1, recognised: 1 }, checkpoint);
  return counts;
}

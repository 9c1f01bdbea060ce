/** Taking one page of a walk: it is the one that was asked for, it is judged, it is stored. */
import type { SyncContext } from '../context.ts';
import { addChanges, distrustOrder, type WalkState } from './walk-state.ts';
import type { Position } from './seek.ts';
import { isTrustedNeighbour, provePage, lastPageNumber, unreadReason, type PageProof } from './proof.ts';
import type { FetchPage } from './page-fetcher.ts';

/** Pages that a walk asks for again because they came otherwise than asked. */
const SECOND_LOOKS = 3;
/** A page that is not the one asked for, or holds less than it says, is asked for once more. */
export async function retryWrongPage(
  ask: FetchPage,
  course: WalkState,
  position: Position,
): Promise<Position> {
  const { number, page } = position;
  const isBeyondEnd = lastPageNumber(page.paging) < number;
  if (isBeyondEnd || unreadReason(number, page.paging, page.holding.count) === null) return position;
  if (course.secondLooks++ >= SECOND_LOOKS) return position;
  return { number, page: await ask(number, 'probe') };
}

/** Judges a page. Where it reaches into a page above that was recognised, that one's ids are those of its rows. */
export async function judgePage(
  parts: SyncContext,
  course: WalkState,
  { number, page }: Position,
): Promise<PageProof> {
  const { warehouse, logger } = parts;
  const { key, above, checkpoint } = course;
  const { paging, echo, holding } = page;
  if (isTrustedNeighbour(above) && !above.ids && (holding.ends?.last ?? 0) >= above.first) {
    above.ids = new Set(await warehouse.liveIds(key, { low: above.first, high: above.last }));
  }
  const { pageSize, orderViolated } = checkpoint;
  const verdict = provePage({ asked: number, pageSize, paging, echo, holding, above, orderViolated });
  if (verdict.distrust !== null && !verdict.isWhole) {
    const words = `${key.account}/${key.packageId}, page ${number} proves no removal: ${verdict.distrust}`;
    logger.warn({ ...key, page: number }, words);
  }
  if (verdict.orderViolated) await distrustOrder(parts, course);
  return verdict;
}

/** Stores a page: its rows and what it proves, or only that it is as it was. */
export async function storePage(
  parts: SyncContext,
  course: WalkState,
  { number, page }: Position,
  { proof, gap, isWhole, orderViolated }: PageProof,
): Promise<void> {
  const { answeredAt, videos, refused, drift, hash, known, holding } = page;
  const { key, walkId, checkpoint } = course;
  const place = { ...key, walkId, page: number, answeredAt, gap, checkpoint };
  if (known) {
    await parts.warehouse.storeKnownPage({ ...place, records: known.records, drift: known.drift });
  } else {
    const mark = hash !== null && holding.ends && !orderViolated ? { hash, ...holding.ends } : null;
    const answer = { ...place, videos, refused, drift, proof, isWhole, mark };
    addChanges(course, await parts.warehouse.storePage(answer));
  }
  parts.progress.pageStored({ ...key, page: number, records: holding.count });
}

/** Asks for one page of a walk, and recognises one that is byte for byte what it was. */
import type { Recognise, SeenPage, VideoPage } from '../../service/client/parse-response.ts';
import type { Answered } from '../../service/client/client.ts';
import type { KnownPage } from '../../warehouse/unchanged-pages.ts';
import type { SyncParts } from '../context.ts';
import type { Course } from './walk-state.ts';
import { holdingOf, isFrontier, judge, type Holding, type PageLook } from './proof.ts';
import { unlessForeign } from './confirm-page.ts';
import type { WalkOrder } from './walk.ts';

/** A page of the walk; `known` is what is known of it where its records were not read. */
export interface Page extends Answered<VideoPage> {
  holding: Holding;
  known: KnownPage | null;
}

/** Asks for one page of the package. */
export type AskPage = (page: number, purpose: 'probe' | 'page' | 'quick') => Promise<Page>;

/** Gives the function that asks for the pages of one walk; a page that may be another package's is asked for again. */
export function createAsk(parts: SyncParts, order: WalkOrder, course: Course): AskPage {
  const ask = createAskOnce(parts, order, course);
  return async (number, purpose) => {
    const page = await ask(number, purpose);
    const askAgain = () => ask(number, purpose === 'quick' ? purpose : 'probe');
    return unlessForeign(parts, order, course, { number, page, askAgain });
  };
}

function createAskOnce(parts: SyncParts, order: WalkOrder, course: Course): AskPage {
  const { account, packageId, runId, signal } = order;
  return async (number, purpose) => {
    signal.throwIfAborted();
    const found: { known: KnownPage | null } = { known: null };
    const recognise: Recognise = async (hash, readSeen) => {
      found.known = await findKnown(parts, course, { page: number, hash }, readSeen);
      return found.known !== null;
    };
    const asking = { packageId, page: number, pageSize: account.pageSize, purpose, runId, signal };
    const page = await account.client.videoPage({ ...asking, recognise });
    order.turn.answered();
    const { known } = found;
    const holding = known ? holdingOfKnown(known) : holdingOf(page.ids, page.refused.length);
    return { ...page, known, holding };
  };
}

function holdingOfKnown({ records, first, last }: KnownPage): Holding {
  return { count: records, ends: { first, last }, disorder: null, flaw: null, refused: 0, ids: null };
}

/**
 * The page, where nothing of it need be read: same bytes, rows as they were, and it proves the same in its place as it
 * did then. Only once the page above is stored can that be said; and where the two overlap, the ids are needed.
 */
async function findKnown(
  { warehouse }: SyncParts,
  course: Course,
  place: { page: number; hash: string },
  readSeen: () => SeenPage | null,
): Promise<KnownPage | null> {
  await course.storing;
  const known = await warehouse.recognisePage({ ...course.key, ...place });
  if (!known || overlaps(known, course.above)) return null;
  const seen = readSeen();
  return seen?.paging.pagesize === known.pageSize && provesTheSame(course, place.page, seen, known)
    ? known
    : null;
}

function provesTheSame(
  { above, checkpoint }: Course,
  asked: number,
  { paging, echo }: SeenPage,
  known: KnownPage,
): boolean {
  const { pageSize, orderViolated } = checkpoint;
  const holding = holdingOfKnown(known);
  const look = { asked, pageSize: pageSize || paging.pagesize, paging, echo, holding, above, orderViolated };
  const { proof } = judge(look);
  return proof?.low === known.proof.low && proof.high === known.proof.high;
}

function overlaps({ last }: { last: number }, above: PageLook['above']): boolean {
  return isFrontier(above) && last >= above.first;
}

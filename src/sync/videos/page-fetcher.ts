/** Asks for one page of a walk, and recognises one that is byte for byte what it was. */
import type { IsUnchangedPage, PageEnvelope, VideoPage } from '../../service/client/parse-response.ts';
import type { WithReceivedAt } from '../../service/client/client.ts';
import type { UnchangedPage } from '../../warehouse/unchanged-pages.ts';
import type { SyncContext } from '../context.ts';
import type { WalkState } from './walk-state.ts';
import { toPageContents, isTrustedNeighbour, provePage, type PageContents, type PageInput } from './proof.ts';
import { confirmOwnPage } from './confirm-page.ts';
import type { WalkOptions } from './walk.ts';

/** A page of the walk; `known` is what is known of it where its records were not read. */
export interface Page extends WithReceivedAt<VideoPage> {
  holding: PageContents;
  known: UnchangedPage | null;
}

/** Asks for one page of the package. */
export type FetchPage = (page: number, purpose: 'probe' | 'page' | 'quick') => Promise<Page>;

/** Gives the function that asks for the pages of one walk; a page that may be another package's is asked for again. */
export function createPageFetcher(parts: SyncContext, order: WalkOptions, course: WalkState): FetchPage {
  const ask = createAskOnce(parts, order, course);
  return async (number, purpose) => {
    const page = await ask(number, purpose);
    const askAgain = () => ask(number, purpose === 'quick' ? purpose : 'probe');
    return confirmOwnPage(parts, order, course, { number, page, askAgain });
  };
}

function createAskOnce(parts: SyncContext, order: WalkOptions, course: WalkState): FetchPage {
  const { account, packageId, runId, signal } = order;
  return async (number, purpose) => {
    signal.throwIfAborted();
    const found: { known: UnchangedPage | null } = { known: null };
    const recognise: IsUnchangedPage = async (hash, readSeen) => {
      found.known = await findKnown(parts, course, { page: number, hash }, readSeen);
      return found.known !== null;
    };
    const asking = { packageId, page: number, pageSize: account.pageSize, purpose, runId, signal };
    const page = await account.client.videoPage({ ...asking, recognise });
    order.turn.answered();
    const { known } = found;
    const holding = known ? holdingOfKnown(known) : toPageContents(page.ids, page.refused.length);
    return { ...page, known, holding };
  };
}

function holdingOfKnown({ records, first, last }: UnchangedPage): PageContents {
  return { count: records, ends: { first, last }, disorder: null, flaw: null, refused: 0, ids: null };
}

/**
 * The page, where nothing of it need be read: same bytes, rows as they were, and it proves the same in its place as it
 * did then. Only once the page above is stored can that be said; and where the two overlap, the ids are needed.
 */
async function findKnown(
  { warehouse }: SyncContext,
  course: WalkState,
  place: { page: number; hash: string },
  readSeen: () => PageEnvelope | null,
): Promise<UnchangedPage | null> {
  await course.storing;
  const known = await warehouse.recognisePage({ ...course.key, ...place });
  if (!known || overlaps(known, course.above)) return null;
  const seen = readSeen();
  return seen?.paging.pagesize === known.pageSize && provesTheSame(course, place.page, seen, known)
    ? known
    : null;
}

function provesTheSame(
  { above, checkpoint }: WalkState,
  asked: number,
  { paging, echo }: PageEnvelope,
  known: UnchangedPage,
): boolean {
  const { pageSize, orderViolated } = checkpoint;
  const holding = holdingOfKnown(known);
  const look = { asked, pageSize: pageSize || paging.pagesize, paging, echo, holding, above, orderViolated };
  const { proof } = provePage(look);
  return proof?.low === known.proof.low && proof.high === known.proof.high;
}

function overlaps({ last }: { last: number }, above: PageInput['above']): boolean {
  return isTrustedNeighbour(above) && last >= above.first;
}

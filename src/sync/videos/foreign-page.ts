/** Detects pages of another package and requests them again (docs/walking.md, "A page of another package"). */
import { RefusedError } from '../../lib/errors.ts';
import { pluralize } from '../../lib/format.ts';
import type { IdRange } from '../../lib/id-range.ts';
import type { SearchOption } from '../../service/videos.ts';
import type { PageMatch, PlacedPage } from '../../warehouse/package-membership.ts';
import { HIGHEST, isTrustedNeighbour, LOWEST, type PageInput } from './proof.ts';
import type { Page, WalkState } from './walk-state.ts';

/** Why a page may not be the requested one. */
export interface Doubt {
  /** What is wrong, to follow "page 3: ". */
  reason: string;
  /** The page is not stored if it is returned again; else it is only requested again. */
  isSure: boolean;
  /** The only evidence is that another package showed the same bytes: packages may hold the same videos. */
  isCopy?: true;
  /** The evidence is the echo of a search, which the service may always return. */
  isEcho?: true;
}

type PageToCheck = Pick<PageInput, 'paging' | 'contents' | 'isDescending' | 'above'>;

/** Up to this many videos may be replaced at any time. */
const FEW_VIDEOS = 20;
/** Fewer disappearing videos than this are no reason to request a page again. */
const MIN_MISSING = 5;
/** Pages of a walk that are requested again, returned unchanged and stored, before all others are stored at once. */
const MAX_CONFIRMED = 3;
/** The same for packages of a run that hold what other packages hold. */
const MAX_COPIES = 20;

/** Returns the page, or the second response if the first was doubtful. Throws RefusedError if both are foreign. */
export async function confirmOwnPage(
  walk: WalkState,
  page: Page,
  refetch: () => Promise<Page>,
): Promise<Page> {
  const { context, options, key } = walk;
  const { number } = page;
  const doubt = findDoubt(walk, page);
  if (!doubt || !shouldRefetch(walk, doubt)) return acceptPage(walk, page, doubt);
  const { account, packageId } = key;
  context.logger[doubt.isSure ? 'warn' : 'info'](
    { event: 'page_requested_again', account, package_id: packageId, page: number, reason: doubt.reason },
    `${account}/${packageId}, page ${number} is requested again: ${doubt.reason}`,
  );
  const second = await refetch();
  const confirmed = findDoubt(walk, second);
  if (confirmed?.isSure && !options.acceptPage) throw createForeignError(walk, number, confirmed);
  if (confirmed?.isCopy) options.owners.copies++;
  else if (confirmed?.isEcho) options.owners.echoes++;
  else if (confirmed) walk.confirmedPages++;
  return acceptPage(walk, second, confirmed);
}

function shouldRefetch({ options, isCopy, confirmedPages }: WalkState, doubt: Doubt): boolean {
  const { owners, acceptPage } = options;
  if (doubt.isEcho && !doubt.isSure) return owners.echoes < MAX_CONFIRMED;
  if (doubt.isCopy) return !isCopy && owners.copies < MAX_COPIES;
  return (doubt.isSure && !acceptPage) || confirmedPages < MAX_CONFIRMED;
}

function acceptPage(walk: WalkState, page: Page, doubt: Doubt | null): Page {
  walk.isCopy = doubt?.isCopy ?? false;
  return page;
}

function createForeignError({ context, key }: WalkState, number: number, { reason }: Doubt): RefusedError {
  const place = `account ${key.account}, package ${key.packageId}, page ${number}`;
  return new RefusedError(`${place}: ${reason}; it came twice, and is not stored`, {
    fault: 'foreign',
    hint: `if the package was really filled with other videos: ${context.acceptPageCommand(key)}`,
  });
}

function findDoubt(walk: WalkState, page: Page): Doubt | null {
  const { options, key } = walk;
  const echoDoubt = findEchoDoubt(page.echo, key.packageId);
  if (echoDoubt || page.recognised) return echoDoubt;
  const { paging, contents, hash } = page;
  const doubt = findDoubtByRows(walk, { paging, contents, above: walk.above });
  if (doubt !== 'unknown') return doubt;
  if (hash === null || contents.count <= FEW_VIDEOS) return null; // the next walk corrects a few videos
  const owner = options.owners.findOwner(hash, key.packageId);
  if (owner === null) return null;
  return { reason: `package ${owner} showed the same, byte for byte`, isSure: false, isCopy: true };
}

/**
 * A response that names another package, or a keyword, belongs to another request. A search field or a date without a
 * keyword is only a doubt: the service may always return it (docs/service.md does not say).
 */
export function findEchoDoubt(echo: SearchOption | null, packageId: number): Doubt | null {
  if (!echo) return null;
  const named = readNumber(echo['pkg']);
  if (named !== null && named !== packageId) {
    return { reason: `its response says that it is one of package ${named}`, isSure: true };
  }
  const fields = ['keyword', 'search_item', 'fromDate', 'toDate'] as const;
  const searched = fields.filter((name) => echo[name]?.trim());
  if (searched.length === 0) return null;
  const reason = `its response echoes a search that was not asked for (${searched.join(', ')})`;
  return { reason, isSure: searched.includes('keyword'), isEcho: true };
}

function readNumber(value: unknown): number | null {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value.trim()));
  const number = isNumber ? Number(value) : NaN;
  return Number.isSafeInteger(number) ? number : null;
}

/** The doubt by the rows: null if the page is known; `unknown` if most of it is unknown, but no row contradicts it. */
export function findDoubtByRows(
  { context, key }: Pick<WalkState, 'context' | 'key'>,
  page: PageToCheck,
): Doubt | 'unknown' | null {
  const placed = placePage(page);
  const match = placed && context.warehouse.matchPage({ ...key, ...placed });
  return placed && match ? (findMatchDoubt(placed.ids, match, page.paging.totalcount) ?? 'unknown') : null;
}

/** The place of the page by its own figures. Null if it is empty, or unsorted and not the whole list. */
function placePage(page: PageToCheck): Omit<PlacedPage, 'account' | 'packageId'> | null {
  const { paging, contents, isDescending = false } = page;
  const { ids, bounds, disorder, count } = contents;
  const before = Math.max(0, paging.page - 1) * paging.pagesize;
  const after = Math.max(0, paging.totalcount - before - count);
  const room = isDescending ? { below: after, above: before } : { below: before, above: after };
  const coversWholeList = before === 0 && after === 0;
  if (!ids || !bounds || (disorder !== null && !coversWholeList)) return null;
  const low = coversWholeList || room.below === 0 ? LOWEST : bounds.first;
  const high = coversWholeList || room.above === 0 ? HIGHEST : bounds.last;
  return { ids, shows: { low, high }, room, gap: findGapAbove(page), fromEnd: after + count };
}

/** The ids between a page and its neighbour above: the list has none there, unless it changed in between. */
function findGapAbove({ paging, contents: { bounds }, above }: PageToCheck): IdRange | null {
  if (!isTrustedNeighbour(above) || !bounds || above.number !== paging.page + 1) return null;
  return { low: bounds.last + 1, high: above.first - 1 };
}

/**
 * The doubt is sure if a page that covers many known ids holds none of them; or if most of the page is a slice of
 * another package, is new in this one, and rows of this one would have to be removed for it. Nothing is sure for a
 * package without a completed walk: it may hold the videos of another one.
 */
function findMatchDoubt(ids: readonly number[], match: PageMatch, totalcount: number): Doubt | null {
  const { isWalked, covered, crowdedOut, rows } = match;
  const source = findSource(ids, match);
  const origin = source === null ? '' : ` (its videos are those of package ${source.packageId})`;
  if (isWalked && rows === 0 && covered > FEW_VIDEOS) {
    const videos = pluralize(covered, 'known video');
    return { reason: `it holds not one of the ${videos} whose ids it covers${origin}`, isSure: true };
  }
  if (source !== null && isConflicting(match, source.totalcount === totalcount)) {
    const reason = `most of its videos are those of package ${source.packageId}, and were not in this one`;
    return { reason, isSure: isWalked };
  }
  const missing = covered + crowdedOut;
  if (source === null && (!isWalked || rows > 0 || missing < MIN_MISSING)) return null;
  return { reason: `it leaves no room for ${pluralize(missing, 'known video')}${origin}`, isSure: false };
}

/** The package that most of the page is a slice of, if those videos are new in this one. */
function findSource(ids: readonly number[], { otherPackage }: PageMatch): PageMatch['otherPackage'] {
  if (!otherPackage?.isSlice || otherPackage.foreignVideos <= FEW_VIDEOS) return null;
  return otherPackage.foreignVideos * 2 > ids.length ? otherPackage : null;
}

/** Videos added to both packages are no conflict. The count may be off by the changes since. */
function isConflicting({ covered, crowdedOut, liveRows }: PageMatch, hasSizeOfSource: boolean): boolean {
  const isMoreThanLive = covered > liveRows && (covered > FEW_VIDEOS || liveRows === 0);
  return isMoreThanLive || (crowdedOut > 0 && hasSizeOfSource);
}

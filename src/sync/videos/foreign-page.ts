/** Is this the page of another package? What speaks for it, in words (docs/architecture.md, "A page of another package"). Pure. */
import type { Paging, SearchOption } from '../../service/videos.ts';
import type { Fit, PlacedPage } from '../../warehouse/package-membership.ts';
import { pluralize } from '../../lib/format.ts';
import { HIGHEST, isTrustedNeighbour, LOWEST, type PageContents, type PageInput } from './proof.ts';
import type { IdRange } from '../../lib/id-range.ts';

/** Why a page may not be the one that was asked for. */
export interface Doubt {
  /** What is wrong with it; it goes on after "page 3: ". */
  words: string;
  /** If it comes again, it is not to be stored; else it is only asked for again. */
  isSure: boolean;
  /** Another package showed the same bytes, and nothing else speaks against it: some packages hold the same videos. */
  isCopy?: true;
  /** The echo of a search, which the service may always give. */
  isEcho?: true;
}

/** A page as it came. */
export interface PageSeen {
  packageId: number;
  paging: Paging;
  echo: SearchOption | null;
  holding: PageContents;
  /** The list was read from its other end: `holding` is that of the page turned round. */
  fromTop?: boolean;
  above: PageInput['above'];
}

/** More videos than this are many: a package of fewer may be filled with other ones at any time. */
export const MANY = 20;
/** So few that have gone all at once are no reason to ask again. */
const FEW = 5;

/**
 * An answer that names another package, or a keyword that was not asked for, is the answer to another request. A field to
 * search or a date without a keyword may be what the service always says (its docs do not show that): it is only doubted.
 */
export function doubtEcho(echo: SearchOption | null, packageId: number): Doubt | null {
  if (!echo) return null;
  const pkg = numberIn(echo['pkg']);
  if (pkg !== null && pkg !== packageId) return sure(`its answer says that it is one of package ${pkg}`);
  const searched = (['keyword', 'search_item', 'fromDate', 'toDate'] as const).filter((name) =>
    echo[name]?.trim(),
  );
  if (searched.length === 0) return null;
  const words = `its answer echoes a search that was not asked for (${searched.join(', ')})`;
  return { words, isSure: searched.includes('keyword'), isEcho: true };
}

/** The number that an echo names; null where it names none. */
function numberIn(value: unknown): number | null {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value.trim()));
  const number = isNumber ? Number(value) : NaN;
  return Number.isSafeInteger(number) ? number : null;
}

/** Where a page says that it stands. Null where it holds nothing, or is not sorted and not the whole list. */
export function placeOf(account: string, page: PageSeen): PlacedPage | null {
  const { packageId, paging, holding, fromTop = false } = page;
  const { ids, ends, disorder, count } = holding;
  const before = Math.max(0, paging.page - 1) * paging.pagesize;
  const after = Math.max(0, paging.totalcount - before - count);
  const room = fromTop ? { below: after, above: before } : { below: before, above: after };
  const isWhole = before === 0 && after === 0;
  if (!ids || !ends || (disorder !== null && !isWhole)) return null;
  const low = isWhole || room.below === 0 ? LOWEST : ends.first;
  const high = isWhole || room.above === 0 ? HIGHEST : ends.last;
  const gap = gapAbove(page);
  return { account, packageId, ids, shows: { low, high }, room, gap, fromEnd: after + count };
}

/** The list has nothing between the page and a neighbour above it, but for what moved while they were read. */
function gapAbove({ paging, holding, above }: PageSeen): IdRange | null {
  if (!isTrustedNeighbour(above) || !holding.ends || above.number !== paging.page + 1) return null;
  return { low: holding.ends.last + 1, high: above.first - 1 };
}

/**
 * What the rows of the package and of the others say. Sure: not one known id on a page that covers many; or most of the
 * page is a piece of another package that was not in this one, and rows of this one would have to be gone for it. Of a
 * package that was never walked whole nothing is sure: it may well hold the videos of another one.
 */
export function doubtFit(page: PlacedPage, fit: Fit, totalcount: number): Doubt | null {
  const { isWalked, covered, crowdedOut, known } = fit;
  const from = pieceOf(page, fit);
  const origin = from === null ? '' : ` (its videos are those of package ${from.packageId})`;
  if (isWalked && known === 0 && covered > MANY) {
    return sure(`it holds not one of the ${pluralize(covered, 'known video')} whose ids it covers${origin}`);
  }
  if (from !== null && isDisplacing(fit, from.totalcount === totalcount)) {
    const words = `most of its videos are those of package ${from.packageId}, and were not in this one`;
    return { words, isSure: isWalked };
  }
  const gone = covered + crowdedOut;
  if (from === null && (!isWalked || known > 0 || gone < FEW)) return null;
  return { words: `it leaves no room for ${pluralize(gone, 'known video')}${origin}`, isSure: false };
}

/** The package that most of the page is a piece of, and was not in this one; null where there is none. */
function pieceOf({ ids }: PlacedPage, { holder }: Fit): Fit['holder'] {
  if (!holder?.isSlice || holder.strange <= MANY) return null;
  return holder.strange * 2 > ids.length ? holder : null;
}

/** Growth that two packages share takes nobody's place; a count that says so may be wrong by what came and went. */
function isDisplacing({ covered, crowdedOut, live }: Fit, isOfItsSize: boolean): boolean {
  const isMore = covered > live && (covered > MANY || live === 0);
  return isMore || (crowdedOut > 0 && isOfItsSize);
}

function sure(words: string): Doubt {
  return { words, isSure: true };
}

/** The records of a page by their ids, and whether the page belongs to the package at all. Pure. */
import type { IdRange } from '../package-key.ts';
import type { SearchOption } from '../../service/videos.ts';

export const LOWEST = 1;
export const HIGHEST = Number.MAX_SAFE_INTEGER;

/** The first and the last id of a page. */
export interface IdBounds {
  first: number;
  last: number;
}

/** The records of a page, by their ids. */
export interface PageContents {
  /** Number of records. */
  count: number;
  bounds: IdBounds | null;
  /** Why the ids are not sorted; null if they are. */
  disorder: string | null;
  /** Why the records prove nothing; null if they can. */
  flaw: string | null;
  /** The readable ids in page order; null if the page is known by its hash. */
  ids: readonly number[] | null;
}

/** The lowest trusted page read so far. */
export interface TrustedNeighbour extends IdBounds {
  number: number;
  totalcount: number;
  /** Its ids; null if it is known by its hash. */
  ids: ReadonlySet<number> | null;
}

/** What was read above a page: `end` if the list has nothing there, null if that is unknown. */
export type PageAbove = TrustedNeighbour | 'end' | null;

export function isTrustedNeighbour(above: PageAbove): above is TrustedNeighbour {
  return above !== null && above !== 'end';
}

/**
 * `ids`: the id of each record in page order, null if it is unreadable; `refused`: records that cannot be
 * stored.
 */
export function toPageContents(ids: readonly (number | null)[], refused: number): PageContents {
  const readable = ids.filter((id) => id !== null);
  const isSorted = readable.every((id, index) => id >= (readable[index - 1] ?? 0));
  const [first] = readable;
  const last = readable.at(-1);
  return {
    count: ids.length,
    bounds: first === undefined || last === undefined ? null : { first, last },
    disorder: isSorted ? null : 'ids do not rise within the page',
    flaw: findFlaw(ids, readable, refused),
    ids: readable,
  };
}

/** A page with more bad records than both of these, a number and a share of its records, proves nothing. */
const MAX_BAD_RECORDS = 20;
const MAX_BAD_SHARE = 0.05;

function findFlaw(
  ids: readonly (number | null)[],
  readable: readonly number[],
  refused: number,
): string | null {
  if (readable.length < ids.length) return 'a record whose id cannot be read';
  if (new Set(readable).size < readable.length) return 'an id twice';
  if (refused <= MAX_BAD_RECORDS || refused <= ids.length * MAX_BAD_SHARE) return null;
  return `${refused} of ${ids.length} records cannot be stored`;
}

/** Why a response belongs to another request: it names another package, or a keyword. Null if it does not. */
export function findForeignEcho(echo: SearchOption | null, packageId: number): string | null {
  const pkg = echo?.['pkg'];
  const named = typeof pkg === 'string' || typeof pkg === 'number' ? String(pkg).trim() : '';
  if (/^\d+$/.test(named) && Number(named) !== packageId) {
    return `its response says that it is one of package ${named}`;
  }
  return echo?.keyword?.trim() ? 'its response echoes a keyword that was not requested' : null;
}

/** The ids that belong on page `number` of `last` pages, also those that it does not show. */
export function getPlace(
  { number, last, above }: { number: number; last: number; above: PageAbove },
  { bounds }: PageContents,
): IdRange | null {
  if (!bounds) return null;
  const neighbour = isTrustedNeighbour(above) && above.number === number + 1 ? above : null;
  const low = number === 1 ? LOWEST : Math.min(bounds.first, neighbour?.first ?? HIGHEST);
  const high = number >= last ? HIGHEST : Math.max(bounds.last, (neighbour?.first ?? 0) - 1);
  return { low, high };
}

/** What one page proves about removals (docs/architecture.md, "Walking"). Pure. */
import type { Paging, SearchOption } from '../../service/videos.ts';
import type { IdRange } from '../../lib/id-range.ts';

/** The lowest and the highest id of a page that rises. */
export interface IdBounds {
  first: number;
  last: number;
}

/** What a page holds, whether its records were read or recognised. */
export interface PageContents {
  /** Records on the page. */
  count: number;
  ends: IdBounds | null;
  /** Why the ids are no sorted list, or none to rely on; null where they are. */
  disorder: string | null;
  flaw: string | null;
  /** Records that cannot be stored. */
  refused: number;
  /** The readable ids in the order of the page; null where the page was recognised. */
  ids: readonly number[] | null;
}

/** The lowest page read so far that could be trusted. */
export interface TrustedNeighbour extends IdBounds {
  number: number;
  totalcount: number;
  /** Its ids; null where it was recognised. */
  ids: ReadonlySet<number> | null;
}

/** A page as it was asked for and answered. */
export interface PageInput {
  asked: number;
  /** The size that the walk settled on. */
  pageSize: number;
  paging: Paging;
  echo: SearchOption | null;
  holding: PageContents;
  /** The list was read from its other end: `holding` is that of the page turned round. */
  fromTop?: boolean;
  /** What was read before; 'end' where nothing lies above, null where that is not known. */
  above: TrustedNeighbour | 'end' | null;
  /** The list was seen out of order earlier in this walk. */
  orderViolated: boolean;
}

export interface PageProof {
  /** The list is known not to be sorted: nothing of this walk proves anything, but a page that is the whole list. */
  orderViolated: boolean;
  /** Why this page proves nothing, in words; null where it does. */
  distrust: string | null;
  /** Of these ids the page shows every live one; null where it proves nothing. */
  proof: IdRange | null;
  /** The page is the whole list: its proof needs no order. */
  isWhole: boolean;
  /** Ids between this page and what was read above it: proved by neither. */
  gap: IdRange | null;
  /** Why the page that was asked for was not read, in words; null where it was. */
  unread: string | null;
}

export const LOWEST = 1;
export const HIGHEST = Number.MAX_SAFE_INTEGER;

/** What a page holds by the ids of its records, in their order; null stands for an id that cannot be read. */
export function toPageContents(ids: readonly (number | null)[], refused: number): PageContents {
  const readable = ids.filter((id) => id !== null);
  return {
    count: ids.length,
    ends: endsOf(readable),
    disorder: readable.every((id, place) => place === 0 || id >= (readable[place - 1] ?? 0))
      ? null
      : 'ids do not rise within the page',
    flaw: flawOf(ids, readable, refused),
    refused,
    ids: readable,
  };
}

function endsOf(ids: readonly number[]): IdBounds | null {
  const [first] = ids;
  const last = ids.at(-1);
  return first === undefined || last === undefined ? null : { first, last };
}

/** More bad records than this, and more than a twentieth, and the page is not to be relied on. */
const BAD_RECORDS = 20;

function flawOf(
  ids: readonly (number | null)[],
  readable: readonly number[],
  refused: number,
): string | null {
  if (readable.length < ids.length) return 'a record whose id cannot be read';
  if (new Set(readable).size < readable.length) return 'an id twice';
  const isMuch = refused > BAD_RECORDS && refused > ids.length / 20;
  return isMuch ? `${refused} of ${ids.length} records cannot be stored` : null;
}

/** Judges one page: may it be trusted, and what does it then prove? */
export function provePage(look: PageInput): PageProof {
  const disorder = look.orderViolated ? null : findDisorder(look);
  const orderViolated = look.orderViolated || disorder !== null;
  const untrusted = findDistrust(look);
  const isWhole = untrusted === null && look.asked === 1 && showsEnd(look);
  const isSorted = untrusted === null && !orderViolated;
  return {
    orderViolated,
    distrust: disorder ?? untrusted,
    proof: isWhole ? { low: LOWEST, high: HIGHEST } : isSorted ? provedRange(look) : null,
    isWhole,
    gap: isSorted ? gapAbove(look) : null,
    unread: unreadReason(look.asked, look.paging, look.holding.count) ?? repeatedPageReason(look),
  };
}

/** Signs that the list is not sorted by id, rising. Neighbours that are equal are a duplicate, not a disorder. */
function findDisorder({ echo, holding, above, fromTop = false }: PageInput): string | null {
  const { sort_item: item, sort_direction: direction } = echo ?? {};
  if (item && item.toLowerCase() !== 'id') return `the service says it sorts by ${item}`;
  const asked = fromTop ? 'desc' : 'asc';
  if (direction && direction.toLowerCase() !== asked) return `the service says it sorts ${direction}`;
  if (holding.disorder) return holding.disorder;
  if (!isTrustedNeighbour(above) || !holding.ids || !above.ids) return null;
  const { ids: known, first } = above;
  const stranger = holding.ids.find((id) => id >= first && !known.has(id));
  return stranger === undefined ? null : `id ${stranger} comes below the page that begins with ${first}`;
}

/** True where a page was read above that could be trusted. */
export function isTrustedNeighbour(above: PageInput['above']): above is TrustedNeighbour {
  return above !== null && above !== 'end';
}

function findDistrust(look: PageInput): string | null {
  const { asked, pageSize, paging, holding } = look;
  const { count } = holding;
  const { page, pagesize, totalpage, totalcount } = paging;
  if (page !== asked) return `page ${page} came for page ${asked}`;
  if (pagesize !== pageSize) return `page size ${pagesize} instead of ${pageSize}`;
  if (countPages(paging) !== totalpage && totalcount > 0)
    return `${totalpage} pages for ${totalcount} records`;
  const missing = countExpectedOn(asked, paging) - count;
  if (asked < totalpage ? missing !== 0 : Math.abs(missing) > 1 || count > pagesize) {
    return `${count} records where its own count says ${countExpectedOn(asked, paging)}`;
  }
  return holding.flaw ?? findRepetition(look);
}

/**
 * Records of the page above come again when others below them went, and then the count falls as well. Where it does
 * not, one of the two pages is not what it says.
 */
function findRepetition({ asked, paging, holding, above }: PageInput): string | null {
  const again = repeated(holding, above);
  if (!isTrustedNeighbour(above) || again === 0) return null;
  const fallen = (above.number - asked) * paging.pagesize - (holding.count - again);
  if (above.totalcount - paging.totalcount >= fallen) return null;
  const records = again === 1 ? '1 record' : `${again} records`;
  return `${records} of page ${above.number} seen again, and the count did not fall by ${fallen}`;
}

/** Records that were on the page above, too. */
function repeated(holding: PageContents, above: PageInput['above']): number {
  if (!isTrustedNeighbour(above)) return 0;
  return holding.ids?.filter((id) => id >= above.first).length ?? 0;
}

/** A service that answers with one page whatever is asked has not shown the others. */
function repeatedPageReason(look: PageInput): string | null {
  const { asked, holding, above } = look;
  const isStuck = holding.count > 0 && repeated(holding, above) === holding.count;
  if (!isStuck || !isTrustedNeighbour(above) || findRepetition(look) === null) return null;
  return `page ${asked} came with nothing but records of page ${above.number}`;
}

/** Pages that so many records fill. */
export function countPages({ totalcount, pagesize }: Paging): number {
  return Math.ceil(totalcount / Math.max(1, pagesize));
}

/** How many records the page must hold by its own paging. */
export function countExpectedOn(asked: number, { pagesize, totalcount }: Paging): number {
  return Math.max(0, Math.min(pagesize, totalcount - (asked - 1) * pagesize));
}

/** The number of the last page, by whichever of its own figures says more. */
export function lastPageNumber(paging: Paging): number {
  return Math.max(1, paging.totalpage, countPages(paging));
}

/**
 * Why the page that was asked for was not read, in words; null where it was. A list whose last page is off by one
 * is one that counts badly, not one that was cut off.
 */
export function unreadReason(asked: number, paging: Paging, count: number): string | null {
  if (paging.page !== asked) return `page ${paging.page} came for page ${asked}`;
  const expected = countExpectedOn(asked, paging);
  const most = asked >= paging.totalpage ? 1 : 0;
  if (count >= expected - most && count <= expected + most) return null;
  return `page ${asked} came with ${count} of ${expected} records`;
}

/** A page shows where the list ends only by room that is left on it; its count may be wrong. */
function showsEnd({ asked, paging, holding }: PageInput): boolean {
  const { count } = holding;
  return asked >= paging.totalpage && count < paging.pagesize && count >= countExpectedOn(asked, paging);
}

function provedRange(look: PageInput): IdRange | null {
  const { ends } = look.holding;
  if (!ends) return null;
  const atStart = look.asked === 1;
  const [atBottom, atTop] = look.fromTop ? [showsEnd(look), atStart] : [atStart, showsEnd(look)];
  return { low: atBottom ? LOWEST : ends.first, high: atTop ? HIGHEST : ends.last };
}

/** Nothing is known of the ids between two neighbours, nor of those above a last page that is full. */
function gapAbove(look: PageInput): IdRange | null {
  const { asked, paging, holding, above } = look;
  if (!holding.ends) return null;
  const low = holding.ends.last + 1;
  if (asked >= paging.totalpage || above === 'end') return showsEnd(look) ? null : { low, high: HIGHEST };
  if (above?.number !== asked + 1 || low > above.first - 1) return null;
  return { low, high: above.first - 1 };
}

/** What one page proves about removals (docs/architecture.md, "Walking"). Pure. */
import type { Paging, SearchOption } from '../../service/videos.ts';

/** Ids from `low` to `high`, both included. */
export interface IdRange {
  low: number;
  high: number;
}

/** First and last id of a page. */
export interface Ends {
  first: number;
  last: number;
}

/** A page as it was asked for and answered. */
export interface PageLook {
  asked: number;
  /** The size that the walk settled on. */
  pageSize: number;
  paging: Paging;
  echo: SearchOption | null;
  /** The id of each record in the order of the page; null where it cannot be read. */
  ids: readonly (number | null)[];
  /** Records that cannot be stored. */
  refused: number;
  /** The ends of the last page in its place that was read before, and its number; null at the start. */
  previous: (Ends & { number: number }) | null;
  /** The list was seen out of order earlier in this walk. */
  orderViolated: boolean;
}

export interface Verdict {
  /** The list is known not to be sorted: nothing of this walk proves anything. */
  orderViolated: boolean;
  /** Why this page proves nothing, in words; null where it does. */
  distrust: string | null;
  /** Of these ids the page shows every live one; null where it proves nothing. */
  proof: IdRange | null;
  /** Ids between this page and the previous one: proved by neither. */
  gap: IdRange | null;
  ends: Ends | null;
}

const HIGHEST = Number.MAX_SAFE_INTEGER;

/** Judges one page: may it be trusted, and what does it then prove? */
export function judge(look: PageLook): Verdict {
  const ids = look.ids.filter((id) => id !== null);
  const ends = endsOf(ids);
  const disorder = look.orderViolated ? null : findDisorder(look, ids, ends);
  const orderViolated = look.orderViolated || disorder !== null;
  const distrust = disorder ?? findDistrust(look, ids);
  const isProof = !orderViolated && distrust === null;
  return {
    orderViolated,
    distrust,
    proof: isProof ? provedRange(look, ends) : null,
    gap: isProof ? gapBefore(look, ends) : null,
    ends,
  };
}

function endsOf(ids: readonly number[]): Ends | null {
  const [first] = ids;
  const last = ids.at(-1);
  return first === undefined || last === undefined ? null : { first, last };
}

/** Signs that the list is not sorted by id, rising. Neighbours that are equal are a duplicate, not a disorder. */
function findDisorder(look: PageLook, ids: readonly number[], ends: Ends | null): string | null {
  const { sort_item: item, sort_direction: direction } = look.echo ?? {};
  if (item && item.toLowerCase() !== 'id') return `the service says it sorts by ${item}`;
  if (direction && direction.toLowerCase() !== 'asc') return `the service says it sorts ${direction}`;
  if (ids.some((id, place) => place > 0 && id < (ids[place - 1] ?? 0)))
    return 'ids do not rise within the page';
  if (!ends || !look.previous) return null;
  const falls = ends.first <= look.previous.first && ends.last <= look.previous.last;
  return falls ? null : 'ids do not fall from page to page';
}

function findDistrust(look: PageLook, ids: readonly number[]): string | null {
  const { asked, pageSize, paging } = look;
  const count = look.ids.length;
  if (paging.page !== asked) return `page ${paging.page} came for page ${asked}`;
  if (paging.pagesize !== pageSize) return `page size ${paging.pagesize} instead of ${pageSize}`;
  if (pagesOf(paging) !== paging.totalpage && paging.totalcount > 0) {
    return `${paging.totalpage} pages for ${paging.totalcount} records`;
  }
  if (count !== expectedOn(asked, paging)) {
    return `${count} records where its own count says ${expectedOn(asked, paging)}`;
  }
  if (count > pageSize) return `${count} records on a page of ${pageSize}`;
  if (ids.length < count) return 'a record whose id cannot be read';
  if (new Set(ids).size < ids.length) return 'an id twice';
  if (look.refused > 20 && look.refused > count / 20)
    return `${look.refused} of ${count} records cannot be stored`;
  return null;
}

function pagesOf({ totalcount, pagesize }: Paging): number {
  return Math.ceil(totalcount / Math.max(1, pagesize));
}

/** How many records the page must hold by its own paging. */
function expectedOn(asked: number, { pagesize, totalcount }: Paging): number {
  return Math.max(0, Math.min(pagesize, totalcount - (asked - 1) * pagesize));
}

/**
 * Why the page that was asked for was not read, in words; null where it was. A list whose last page is one short of
 * its count is one that counts badly, not one that was cut off.
 */
export function whyUnread(asked: number, paging: Paging, count: number): string | null {
  if (paging.page !== asked) return `page ${paging.page} came for page ${asked}`;
  const missing = expectedOn(asked, paging) - count;
  if (missing <= (asked >= paging.totalpage ? 1 : 0)) return null;
  return `page ${asked} came with ${count} of ${expectedOn(asked, paging)} records`;
}

function provedRange(look: PageLook, ends: Ends | null): IdRange | null {
  const { totalpage, totalcount } = look.paging;
  const isWhole = totalpage <= 1 && look.ids.length === totalcount;
  if (isWhole) return { low: 1, high: HIGHEST };
  if (!ends) return null;
  const isShortLast = look.asked === totalpage && look.ids.length < look.pageSize;
  return { low: look.asked === 1 ? 1 : ends.first, high: isShortLast ? HIGHEST : ends.last };
}

function gapBefore({ asked, previous }: PageLook, ends: Ends | null): IdRange | null {
  if (!ends || previous?.number !== asked + 1 || ends.last + 1 > previous.first - 1) return null;
  return { low: ends.last + 1, high: previous.first - 1 };
}

/** Compares a page that may belong to another package with the rows (docs/walking.md, "A page of another package"). */
import { toTimestamp } from '../lib/clock.ts';
import type { Tx } from '../database/connection.ts';
import { countCandidates, countLiveByIndex } from './statements/expected-ids.ts';
import * as statements from './statements/package-membership.ts';
import { findVideo, findLiveIds } from './statements/video.ts';
import type { PackageKey } from '../lib/package-key.ts';
import type { IdRange } from '../lib/id-range.ts';

/** A page by its ids, and its place in the list of its package by its own figures. */
export interface PlacedPage extends PackageKey {
  /** In the order of the page; they rise, unless the page is the whole list. */
  ids: readonly number[];
  /** The range in which the page shows every id. */
  shows: IdRange;
  /** Number of records of the list below the page and above it. */
  room: { below: number; above: number };
  /** The ids between the page and its neighbour above, if that is known: the list has none there. */
  gap: IdRange | null;
  /** Number of records on the page and above it, possibly off by a few: shows which end of the list is nearer. */
  fromEnd: number;
}

/** How a page matches the rows of its package. */
export interface PageMatch {
  /** The package has a completed walk: it has more rows than this walk has stored. */
  isWalked: boolean;
  /** The ids of the page that have a row in the package, live or removed; and those with a live row. */
  rows: number;
  liveRows: number;
  /** Live rows in the range of the page, or in the gap above it, that are not on it: the order would prove them removed. */
  covered: number;
  /** Live rows below or above the page that exceed the number of records that the list counts there. */
  crowdedOut: number;
  /** Another package of the account that has most videos of the page; null if none does, or if the page leaves room for every row. */
  otherPackage: OtherPackage | null;
}

/** Another package in which most videos of a page are live. */
export interface OtherPackage {
  packageId: number;
  /** Size of its list at its last walk; null before that. */
  totalcount: number | null;
  /** Videos of the page that are live there and not here. */
  foreignVideos: number;
  /** The page has at least half of that package's videos in its range: it is not just a selection of them. */
  isSlice: boolean;
}

/** Limits the memory: an account of a hundred million videos has this many pages. */
const MAX_HASHES = 100_000;
/** Ids of a page that are looked up first; the others only if most of these are no live rows. */
const SAMPLE_SIZE = 9;

const LOWEST = 1;
const HIGHEST = Number.MAX_SAFE_INTEGER;

/** Hashes of the known pages of packages whose first full walk ended before that time (ms), with their packages. */
export const findPageHashes = (tx: Tx, account: string, before: number) =>
  statements.findHashes(tx, { account, before: toTimestamp(before), limit: MAX_HASHES });

const NO_MISMATCH: PageMatch = {
  isWalked: false,
  rows: 0,
  liveRows: 0,
  covered: 0,
  crowdedOut: 0,
  otherPackage: null,
};

/** Null if most videos of the page are live rows: then it belongs to this package. */
export function matchPage(tx: Tx, page: PlacedPage): PageMatch | null {
  const { account, packageId } = page;
  const sample = pickSample(page.ids);
  const found = sample.filter((id) => findVideo(tx, { account, packageId, id })?.isLive === 1).length;
  if (found * 2 > sample.length) return null;
  const size = statements.findSize(tx, page) ?? { live: 0, order: null };
  const isWhole = page.room.below === 0 && page.room.above === 0;
  if (size.live === 0 || (size.order === 'untrusted' && !isWhole)) return NO_MISMATCH;
  const inside = countListed(tx, page, page.shows);
  const gap = page.gap ? countListed(tx, page, page.gap) : 0;
  const crowdedOut = size.order === 'trusted' ? countCrowdedOut(tx, page, size.live) : 0;
  if (inside + gap + crowdedOut === 0) return NO_MISMATCH;
  const rows = statements.findRows(tx, { account, packageId, ids: JSON.stringify(page.ids) });
  const live = new Set(rows.flatMap(({ id, isLive }) => (isLive === 1 ? id : [])));
  const covered = Math.max(0, inside - live.size) + gap;
  const otherPackage = covered + crowdedOut > 0 ? findOtherPackage(tx, page, live) : null;
  const isWalked = size.order !== null;
  return { isWalked, rows: rows.length, liveRows: live.size, covered, crowdedOut, otherPackage };
}

/** Live rows in the range that are no removal candidates. */
function countListed(tx: Tx, { account, packageId }: PackageKey, { low, high }: IdRange): number {
  const range = { account, packageId, low, high };
  return countLiveByIndex(tx, range) - countCandidates(tx, range);
}

/** Evenly spread over the page. */
function pickSample(ids: readonly number[]): number[] {
  if (ids.length <= SAMPLE_SIZE) return [...ids];
  const step = (ids.length - 1) / (SAMPLE_SIZE - 1);
  return Array.from({ length: SAMPLE_SIZE }, (_, index) => ids[Math.round(index * step)] ?? 0);
}

/** Counts from the nearer end of the list; above a page with a known neighbour, the gap is better evidence. */
function countCrowdedOut(tx: Tx, page: PlacedPage, live: number): number {
  const { account, packageId, shows, room, gap, fromEnd } = page;
  const count = (low: number, high: number) => countListed(tx, page, { low, high });
  const isNearEnd = fromEnd * 2 < live;
  const below = isNearEnd
    ? live -
      countCandidates(tx, { account, packageId, low: LOWEST, high: HIGHEST }) -
      count(shows.low, HIGHEST)
    : count(LOWEST, shows.low - 1);
  const above = gap ? 0 : count(shows.high + 1, HIGHEST) - room.above;
  return Math.max(0, below - room.below) + Math.max(0, above);
}

function findOtherPackage(tx: Tx, page: PlacedPage, live: ReadonlySet<number>): OtherPackage | null {
  const { ids, account } = page;
  const sample = pickSample(ids.filter((id) => !live.has(id)));
  const asked = { account, packageId: page.packageId, ids: JSON.stringify(sample) };
  const other = statements.findOtherPackage(tx, asked);
  if (!other || other.found * 2 <= sample.length) return null;
  const { packageId, totalcount } = other;
  const low = ids.reduce((least, id) => Math.min(least, id), Number.MAX_SAFE_INTEGER);
  const high = ids.reduce((most, id) => Math.max(most, id), 0);
  const there = findLiveIds(tx, { account, packageId, low, high }, 2 * ids.length + 1);
  const onPage = new Set(ids);
  const shared = there.filter((id) => onPage.has(id));
  const foreignVideos = shared.filter((id) => !live.has(id)).length;
  return { packageId, totalcount, foreignVideos, isSlice: shared.length * 2 >= there.length };
}

/** What the page of a package shows. */
import { toTimestamp } from '../lib/clock.ts';
import { addDays } from '../lib/days.ts';
import { createStanding, type Standing } from '../health/report.ts';
import type { FactParts } from './status-view.ts';
import { SEARCH_ITEMS, SORT_ITEMS, type SearchItem, type SortItem } from '../service/videos.ts';
import type { PageQueries } from '../queries/page-queries.ts';
import type { VideoLists } from '../queries/video-list/video-list.ts';
import type { PackageWalk, RemovedVideo } from '../queries/named/videos.ts';
import { z } from 'zod';
import { pageParam, textParam } from './query-params.ts';

/** Videos a page. */
export const VIDEOS_A_PAGE = 50;
const WALKS = 10;
const SIZE_DAYS = 90;

/** What a reader may ask of the list; what cannot be read counts as left out. */
export const packageQuery = z.object({
  keyword: textParam,
  item: z.enum(SEARCH_ITEMS).catch('title'),
  sort: z.enum(SORT_ITEMS).catch('id'),
  direction: z.enum(['asc', 'desc']).catch('desc'),
  page: pageParam,
  /** Removed videos with a lower id than this, or all of them; null: the list itself. */
  removed: z
    .union([z.literal('all'), z.coerce.number().int().min(1)])
    .nullable()
    .catch(null)
    .default(null),
});

export type PackageQuery = z.output<typeof packageQuery>;

/** A video of the list, as the service sent it. */
export interface ListedVideo {
  id: number;
  title: string | null;
  duration: number | null;
  filesize: number | null;
  cdate: string | null;
  series: string | null;
}

export interface PackageView {
  now: number;
  account: string;
  package_id: number;
  name: string | null;
  /** How it stands; null where it is no longer in the config, since `retiredAt`. */
  standing: Standing['packages'][number] | null;
  retiredAt: string | null;
  wish: PackageQuery;
  sizes: { date: string; videos: number }[];
  walks: PackageWalk[];
  /** The list, or the removed ones; null where the package was never walked whole. */
  list: { videos: ListedVideo[]; found: number; page: number; pages: number } | null;
  removed: { videos: RemovedVideo[]; next: number | null } | null;
}

export interface PackageParts extends FactParts {
  lists: VideoLists;
}

/** Gathers the facts; null where nothing is known of such a package. Rejects as `Lists.page` does. */
export async function createPackageView(
  parts: PackageParts,
  key: { account: string; packageId: number },
  wish: PackageQuery,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<PackageView | null> {
  const { details } = parts;
  const { account, packageId: package_id } = key;
  const { packages } = createStanding(parts, now, 1);
  const standing = packages.find((row) => row.account === account && row.package_id === package_id) ?? null;
  const known = details.package(key);
  if (!known && !standing) return null; // one that no run has met yet has a page, too
  const since = addDays(toTimestamp(now).slice(0, 10), -SIZE_DAYS);
  return {
    now,
    account,
    package_id,
    name: (known ?? standing)?.name ?? null,
    standing,
    retiredAt: known?.retired_at ?? null,
    wish,
    sizes: details.sizes(key, since),
    walks: details.walks(key, WALKS),
    list: wish.removed === null ? await listed(parts.lists, key, wish, signal) : null,
    removed: wish.removed === null ? null : removedOf(details, key, wish.removed),
  };
}

function removedOf(
  details: PageQueries,
  key: { account: string; packageId: number },
  wished: number | 'all',
) {
  const below = wished === 'all' ? Number.MAX_SAFE_INTEGER : wished;
  const videos = details.removedOf(key, below, VIDEOS_A_PAGE + 1);
  const shown = videos.slice(0, VIDEOS_A_PAGE);
  return { videos: shown, next: videos.length > VIDEOS_A_PAGE ? (shown.at(-1)?.id ?? null) : null };
}

async function listed(
  lists: VideoLists,
  key: { account: string; packageId: number },
  wish: PackageQuery,
  signal: AbortSignal,
): Promise<PackageView['list']> {
  const read = (page: number) => lists.page(key, { ...queryOf(wish), page, pageSize: VIDEOS_A_PAGE }, signal);
  let [page, answer] = [wish.page, await read(wish.page)];
  if (!answer) return null;
  const pages = Math.max(1, Math.ceil(answer.size / VIDEOS_A_PAGE));
  if (page > pages) [page, answer] = [pages, (await read(pages)) ?? answer];
  const videos = JSON.parse(Buffer.from(answer.records).toString('utf8')) as ListedVideo[];
  return { videos, found: answer.size, page, pages };
}

function queryOf({ keyword, item, sort, direction }: PackageQuery): {
  search?: { item: SearchItem; keyword: string };
  sort: { item: SortItem; direction: 'asc' | 'desc' };
} {
  const search = keyword === null ? {} : { search: { item, keyword } };
  return { ...search, sort: { item: sort, direction } };
}

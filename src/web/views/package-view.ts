/** What the page of a package shows, read from the live file. */
import { countPages } from '../../lib/count-pages.ts';
import { addDays } from '../../lib/days.ts';
import { createHealthReport, type HealthReport } from '../../health/report.ts';
import { listAttention, type AttentionItem } from './attention.ts';
import { getPackageStates, type ViewSources } from './status-view.ts';
import { SEARCH_ITEMS, SORT_ITEMS, type Video } from '../../service/videos.ts';
import type { PageQueries } from '../../queries/page-queries.ts';
import type { VideoLists } from '../../queries/video-list/video-list.ts';
import { keyOfPackage, type CountedPackage, type WideReads } from '../../queries/wide-reads/wide-reads.ts';
import * as z from 'zod';
import { pageParam, textParam } from './query-params.ts';
import { findToday } from './today.ts';

const VIDEOS_PER_PAGE = 50;
const WALKS = 10;
const SPARKLINE_DAYS = 90;

/** The query of the page. Invalid values are replaced by the defaults. */
export const packageQuery = z.object({
  keyword: textParam,
  item: z.enum(SEARCH_ITEMS).catch('title'),
  sort: z.enum(SORT_ITEMS).catch('id'),
  direction: z.enum(['asc', 'desc']).catch('desc'),
  page: pageParam,
  /** List removed videos: all, or those with a lower id; null: list the videos of the package. */
  removed: z
    .union([z.literal('all'), z.coerce.number().int().min(1)])
    .nullable()
    .catch(null)
    .default(null),
});

export type PackageQuery = z.output<typeof packageQuery>;

/** Fields of a video as the service sent them. */
export type ListedVideo = Pick<Video, 'id' | 'title' | 'duration' | 'filesize' | 'cdate' | 'series'>;

type PackageKey = { account: string; packageId: number };

export type PackageView = NonNullable<Awaited<ReturnType<typeof createPackageView>>>;

/** Null if the package is neither in the warehouse nor in the config. Rejects as `VideoLists.page` does. */
export async function createPackageView(
  sources: ViewSources,
  key: PackageKey,
  query: PackageQuery,
  { now, signal }: { now: number; signal: AbortSignal },
) {
  const { details } = sources;
  const { account, packageId: package_id } = key;
  const report = createHealthReport({ ...sources, publisher: null }, now, 1);
  const health =
    getPackageStates(report).find((row) => row.account === account && row.package_id === package_id) ?? null;
  const stored = details.package(key);
  if (!stored && !health) return null;
  const since = addDays(findToday(sources.config, now), -SPARKLINE_DAYS);
  const { changed_seq } = stored ?? { changed_seq: 0 };
  const [totals, list] = await Promise.all([
    health && readTotals(sources.wideReads, { account, package_id, changed_seq }),
    query.removed === null ? readVideoPage(sources.lists, key, query, signal) : null,
  ]);
  return {
    now,
    account,
    package_id,
    name: (stored ?? health)?.name ?? null,
    /** Null if it is no longer in the config (`retiredAt`). */
    health,
    retiredAt: stored?.retired_at ?? null,
    attention: listAttentionOf(key, report),
    /** The command that lists all problems. */
    listAllCommand: sources.formatCommand('status --json'),
    query,
    sizes: details.sizes(key, since),
    /** Hours and size of its videos; null: not added up yet. */
    totals,
    walks: details.walks(key, WALKS),
    /** Null if removed videos are listed, or if no full walk has completed yet. */
    list,
    removed: query.removed === null ? null : readRemovedPage(details, key, query.removed),
  };
}

/** The page waits for new totals at most this long. */
const TOTALS_WAIT_MS = 500;

async function readTotals(wideReads: WideReads, counted: CountedPackage) {
  const { totals } = await wideReads.totals([counted], TOTALS_WAIT_MS);
  return totals.get(keyOfPackage(counted)) ?? null;
}

/** The items of the package; their place is this page. */
function listAttentionOf({ account, packageId }: PackageKey, { problems }: HealthReport): AttentionItem[] {
  const own = problems.filter(({ scope }) => scope.account === account && scope.packageId === packageId);
  return listAttention(own).map((item) => ({ ...item, place: null }));
}

function readRemovedPage(details: PageQueries, key: PackageKey, removed: number | 'all') {
  const below = removed === 'all' ? Number.MAX_SAFE_INTEGER : removed;
  const videos = details.removedVideos(key, below, VIDEOS_PER_PAGE + 1);
  const shown = videos.slice(0, VIDEOS_PER_PAGE);
  return { videos: shown, next: videos.length > VIDEOS_PER_PAGE ? (shown.at(-1)?.id ?? null) : null };
}

/** The last page if the query asks for a later one. */
async function readVideoPage(
  lists: VideoLists,
  key: PackageKey,
  { keyword, item, sort, direction, ...query }: PackageQuery,
  signal: AbortSignal,
) {
  const search = keyword === null ? {} : { search: { item, keyword } };
  const listQuery = { ...search, sort: { item: sort, direction }, pageSize: VIDEOS_PER_PAGE };
  const read = (page: number) => lists.page(key, { ...listQuery, page }, signal);
  let [page, answer] = [query.page, await read(query.page)];
  if (!answer) return null;
  const pages = Math.max(1, countPages(answer.size, VIDEOS_PER_PAGE));
  if (page > pages) [page, answer] = [pages, (await read(pages)) ?? answer];
  const videos = JSON.parse(Buffer.from(answer.records).toString('utf8')) as ListedVideo[];
  return { videos, found: answer.size, page, pages };
}

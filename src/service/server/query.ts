/**
 * Reads the query parameters of both operations (service.md 4.1, 4.2). What service.md calls "not shown" is
 * chosen here, once, and every choice says so.
 */
import { z } from 'zod';
import { show } from '../fields.ts';
import { isDay } from '../storage.ts';
import { SEARCH_ITEMS, SORT_DIRECTIONS, SORT_ITEMS, type SearchOption } from '../videos.ts';
import type { Search, StorageRange, VideoQuery } from './catalogue.ts';

/** Not shown: the order of a list without `sort_item` or `sort_direction`. Chosen: newest first. */
const DEFAULT_SORT = { item: 'id', direction: 'desc' } as const;

/** Not shown: the order of the days without `sort_direction`. Chosen: oldest first. */
const DEFAULT_DAY_DIRECTION = 'asc';

/** Not shown: the page without `page`, or with one below 1 or unreadable. Chosen: the first. */
const FIRST_PAGE = 1;

/** Not shown: how far pages count. Chosen: what a 32-bit integer holds; a larger page is taken for this one. */
const LAST_PAGE = 2_147_483_647;

/** Page sizes in videos. Not shown: both. Without `pagesize`, or with one below 1 or unreadable: the default. */
export interface PageSizes {
  defaultPageSize: number;
  maxPageSize: number;
}

/** What was asked for, or what is wrong with it in words. */
export type ReadVideoQuery = { query: VideoQuery; echo: SearchOption } | { problem: string };
export type ReadStorageQuery = { range: StorageRange } | { problem: string };

const fromOneUp = z
  .string()
  .regex(/^\d+$/)
  .transform(Number)
  .refine((number) => number >= 1);

/** Not shown: values that service.md does not list. Chosen: refused, in capitals too (`ASC`). */
function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, { error: ({ input }) => `${show(input)} is not one of ${values.join(', ')}` });
}

const packageId = z
  .string({ error: 'is missing' })
  .regex(/^\d{1,15}$/, { error: ({ input }) => `${show(input)} is not a package identifier` })
  .transform(Number);

const day = z
  .string({ error: 'is missing' })
  .refine(isDay, { error: ({ input }) => `${show(input)} is not a calendar date yyyy-mm-dd` });

const videoParameters = z.object({
  pkg: packageId,
  search_item: oneOf(SEARCH_ITEMS).optional(),
  keyword: z.string().optional(),
  sort_item: oneOf(SORT_ITEMS).optional(),
  sort_direction: oneOf(SORT_DIRECTIONS).optional(),
  pagesize: fromOneUp.optional().catch(undefined),
  page: fromOneUp.catch(FIRST_PAGE),
});
type VideoParameters = z.output<typeof videoParameters>;

const storageParameters = z.object({
  sdate: day,
  edate: day,
  sort_direction: oneOf(SORT_DIRECTIONS).default(DEFAULT_DAY_DIRECTION),
});

/** Reads a query of the video list. Other parameters, `filter` and `fromDate` among them, count for nothing. */
export function readVideoQuery(parameters: unknown, sizes: PageSizes): ReadVideoQuery {
  const read = videoParameters.safeParse(given(parameters));
  if (!read.success) return { problem: problemOf(read.error) };
  const search = searchOf(read.data);
  const query: VideoQuery = {
    packageId: read.data.pkg,
    sort: {
      item: read.data.sort_item ?? DEFAULT_SORT.item,
      direction: read.data.sort_direction ?? DEFAULT_SORT.direction,
    },
    page: Math.min(read.data.page, LAST_PAGE),
    pageSize: Math.min(read.data.pagesize ?? sizes.defaultPageSize, sizes.maxPageSize),
  };
  return { query: search ? { ...query, search } : query, echo: echoOf(read.data, search) };
}

/** Not shown: one of `search_item` and `keyword` without the other. Chosen: no search. */
function searchOf({ search_item: item, keyword }: VideoParameters): Search | undefined {
  return item === undefined || keyword === undefined ? undefined : { item, keyword };
}

/** The echo of what was asked for and used; empty where unused (service.md 2.2). */
function echoOf(parameters: VideoParameters, search: Search | undefined): SearchOption {
  return {
    ...UNUSED_OPTION,
    search_item: search?.item ?? '',
    keyword: search?.keyword ?? '',
    sort_item: parameters.sort_item ?? '',
    sort_direction: (parameters.sort_direction ?? '').toUpperCase(),
  };
}

/** The echo where nothing was asked for. Not shown: `filter`, `fromDate`, `toDate` by request. Chosen: never. */
export const UNUSED_OPTION = {
  search_item: '',
  keyword: '',
  filter: 'all',
  sort_item: '',
  sort_direction: '',
  fromDate: '',
  toDate: '',
} as const satisfies SearchOption;

/**
 * Reads a query of the storage statistics. Not shown: the longest range (chosen: any), and `sdate` after `edate`
 * (chosen: no days, which the catalogue sees to).
 */
export function readStorageQuery(parameters: unknown): ReadStorageQuery {
  const read = storageParameters.safeParse(given(parameters));
  if (!read.success) return { problem: problemOf(read.error) };
  const { sdate: from, edate: to, sort_direction: direction } = read.data;
  return { range: { from, to, direction } };
}

/** Not shown: a parameter that is empty or given twice. Chosen: as if absent; the first. */
function given(parameters: unknown): Record<string, unknown> {
  const entries = Object.entries(parameters ?? {}).map(([name, value]: [string, unknown]) => {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return [name, values[0]] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

function problemOf(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}

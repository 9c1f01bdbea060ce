/**
 * Reads the query parameters of both operations (docs/service.md 4.1, 4.2). What docs/service.md leaves open
 * is chosen here; the descriptions are those of the OpenAPI document.
 */
import * as z from 'zod';
import { preview } from '../field-types.ts';
import { isDay } from '../../lib/days.ts';
import { SEARCH_ITEMS, SORT_DIRECTIONS, SORT_ITEMS, type SearchOption } from '../videos.ts';
import type { VideoQuery } from './catalogue.ts';

const DEFAULT_SORT = { item: 'id', direction: 'desc' } as const;
const DEFAULT_DAY_DIRECTION = 'asc';
export const FIRST_PAGE = 1;

/** The highest number of a page: the largest 32-bit integer. */
const LAST_PAGE = 2_147_483_647;

/** Page sizes in videos (docs/service.md 4.1 documents neither). */
export interface PageSizes {
  defaultPageSize: number;
  maxPageSize: number;
}

const positiveInteger = z
  .string()
  .refine((text) => /^\d+$/.test(text) && Number(text) >= 1)
  .transform(Number);

function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, { error: ({ input }) => `${preview(input)} is not one of ${values.join(', ')}` });
}

const packageId = z
  .string({ error: 'is missing' })
  .refine((text) => /^\d+$/.test(text) && Number.isSafeInteger(Number(text)), {
    error: ({ input }) => `${preview(input)} is not a package identifier`,
  })
  .transform(Number);

const day = z
  .string({ error: 'is missing' })
  .refine(isDay, { error: ({ input }) => `${preview(input)} is not a calendar date yyyy-mm-dd` });

const INTEGER = { type: 'integer', format: 'int64' } as const;

/** The parameters of the video list (docs/service.md 4.1), each with its JSON schema. */
export const videoParameters = z.object({
  pkg: packageId.meta({ ...INTEGER, description: 'Distribution package' }),
  search_item: oneOf(SEARCH_ITEMS).optional().meta({
    description: 'Field to search for the keyword; without a keyword nothing is searched',
  }),
  keyword: z.string().optional().meta({
    description: 'Text that the field has to contain; capitals count, and %, _ and * stand for themselves',
  }),
  sort_item: oneOf(SORT_ITEMS).optional().meta({
    default: DEFAULT_SORT.item,
    description: 'Field to sort by; null comes first, titles by code point, equal values by id',
  }),
  sort_direction: oneOf(SORT_DIRECTIONS).optional().meta({
    default: DEFAULT_SORT.direction,
    description: 'desc is the list of asc read from its end',
  }),
  pagesize: positiveInteger
    .optional()
    .catch(undefined)
    .meta({
      ...INTEGER,
      minimum: 1,
      description: 'Videos a page; an unreadable one counts as left out',
    }),
  page: positiveInteger.catch(FIRST_PAGE).meta({
    ...INTEGER,
    minimum: 1,
    description: 'Page to return; beyond the end it is empty and has the true totals',
  }),
});

/** The parameters of the storage statistics (docs/service.md 4.2). */
export const storageParameters = z.object({
  sdate: day.meta({
    format: 'date',
    description: 'First date, yyyy-mm-dd; after edate there are no records',
  }),
  edate: day.meta({ format: 'date', description: 'Last date, yyyy-mm-dd' }),
  sort_direction: oneOf(SORT_DIRECTIONS)
    .default(DEFAULT_DAY_DIRECTION)
    .meta({ description: 'Ascending or descending by date' }),
});

/** Reads a query of the video list: the query and its echo, or what is wrong with it. */
export function readVideoQuery(parameters: unknown, { defaultPageSize, maxPageSize }: PageSizes) {
  const read = videoParameters.safeParse(firstValues(parameters));
  if (!read.success) return { problem: formatIssues(read.error) };
  const { pkg, search_item: searchItem, keyword, sort_item: item, sort_direction: direction } = read.data;
  const search = searchItem !== undefined && keyword !== undefined ? { item: searchItem, keyword } : null;
  const query: VideoQuery = {
    packageId: pkg,
    sort: { item: item ?? DEFAULT_SORT.item, direction: direction ?? DEFAULT_SORT.direction },
    page: Math.min(read.data.page, LAST_PAGE),
    pageSize: Math.min(read.data.pagesize ?? defaultPageSize, maxPageSize),
    ...(search && { search }),
  };
  const echo: SearchOption = {
    ...UNUSED_OPTION,
    search_item: search?.item ?? '',
    keyword: search?.keyword ?? '',
    sort_item: item ?? '',
    sort_direction: (direction ?? '').toUpperCase(),
  };
  return { query, echo };
}

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
 * Reads a query of the storage statistics: the range, whose `from` may be after its `to`, or what is wrong
 * with it.
 */
export function readStorageQuery(parameters: unknown) {
  const read = storageParameters.safeParse(firstValues(parameters));
  if (!read.success) return { problem: formatIssues(read.error) };
  const { sdate: from, edate: to, sort_direction: direction } = read.data;
  return { range: { from, to, direction } };
}

/** The first value of each parameter; empty ones are left out. */
function firstValues(parameters: unknown): Record<string, unknown> {
  const entries = Object.entries(parameters ?? {}).map(([name, value]) => [name, [value].flat()[0]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

function formatIssues(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}

/**
 * Reads the query parameters of both operations (docs/service.md 4.1, 4.2). Behaviour that docs/service.md leaves open is
 * chosen here, at each parameter; the OpenAPI document lists it.
 */
import * as z from 'zod';
import { preview } from '../field-types.ts';
import { isDay } from '../../lib/days.ts';
import { SEARCH_ITEMS, SORT_DIRECTIONS, SORT_ITEMS, type SearchOption } from '../videos.ts';
import type { VideoQuery } from './catalogue.ts';
import type { ParameterDoc } from './unspecified-behaviour.ts';

const DEFAULT_SORT = { item: 'id', direction: 'desc' } as const;
const DEFAULT_DAY_DIRECTION = 'asc';
const FIRST_PAGE = 1;

/** The largest 32-bit integer. */
const LAST_PAGE = 2_147_483_647;

/** Page sizes in videos (docs/service.md 4.1 documents neither). */
export interface PageSizes {
  defaultPageSize: number;
  maxPageSize: number;
}

const positiveInteger = z
  .string()
  .regex(/^\d+$/)
  .transform(Number)
  .refine((number) => number >= 1);

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

const UNKNOWN_VALUE = { 'in capitals, or of a value not listed': 'rejected' };

function document<T extends z.ZodType>(schema: T, doc: ParameterDoc): T {
  return schema.meta({ ...doc });
}

/** The parameters of the video list (docs/service.md 4.1). */
export const videoParameters = z.object({
  pkg: document(packageId, { type: 'integer', minimum: 0, description: 'Distribution package' }),
  search_item: document(oneOf(SEARCH_ITEMS).optional(), {
    description: 'Field to search for the keyword',
    unspecified: { 'without `keyword`': 'no search, and an echo that names none', ...UNKNOWN_VALUE },
  }),
  keyword: document(z.string().optional(), {
    description: 'Search word, which the field has to contain',
    unspecified: {
      'without `search_item`': 'no search, and an echo that names none',
      'in other capitals than the field': 'not found',
      'with `%`, `_` or `*`': 'these stand for themselves',
    },
  }),
  sort_item: document(oneOf(SORT_ITEMS).optional(), {
    description: 'Field to sort by',
    defaultValue: DEFAULT_SORT.item,
    unspecified: {
      'left out': `\`${DEFAULT_SORT.item}\``,
      'of a field that is null': 'null comes before every value',
      'of a title': 'by Unicode code point, capitals before small letters',
      'of equal values': 'by `id`',
      ...UNKNOWN_VALUE,
    },
  }),
  sort_direction: document(oneOf(SORT_DIRECTIONS).optional(), {
    description: 'Ascending or descending',
    defaultValue: DEFAULT_SORT.direction,
    unspecified: {
      'left out': `\`${DEFAULT_SORT.direction}\`; without \`sort_item\` the newest video comes first`,
      'of `desc`': 'the list of `asc` read from its end, null and equal values included',
      ...UNKNOWN_VALUE,
    },
  }),
  pagesize: document(positiveInteger.optional().catch(undefined), {
    type: 'integer',
    minimum: 1,
    description: 'Videos a page',
    unspecified: {
      'left out, below 1 or unreadable': 'the default page size',
      'above the largest page size': 'the largest page size',
    },
  }),
  page: document(positiveInteger.catch(FIRST_PAGE), {
    type: 'integer',
    minimum: 1,
    description: 'Page to return, counted from 1',
    defaultValue: FIRST_PAGE,
    unspecified: {
      'left out, below 1 or unreadable': `page ${FIRST_PAGE}`,
      'beyond the end': 'no videos, the true totals, and the requested page number',
      [`above ${LAST_PAGE}`]: `treated as ${LAST_PAGE}`,
    },
  }),
});

/** The parameters of the storage statistics (docs/service.md 4.2). */
export const storageParameters = z.object({
  sdate: document(day, {
    format: 'date',
    description: 'First date, yyyy-mm-dd',
    unspecified: { 'after `edate`': 'no records; not rejected' },
  }),
  edate: document(day, {
    format: 'date',
    description: 'Last date, yyyy-mm-dd',
    unspecified: { 'any number of days after `sdate`': 'accepted; the range has no maximum length' },
  }),
  sort_direction: document(oneOf(SORT_DIRECTIONS).default(DEFAULT_DAY_DIRECTION), {
    description: 'Ascending or descending by date',
    unspecified: { 'left out': `\`${DEFAULT_DAY_DIRECTION}\`, the oldest day first`, ...UNKNOWN_VALUE },
  }),
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

/** Reads a query of the storage statistics: the range, whose `from` may be after its `to`, or what is wrong with it. */
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

/** What the search over all packages shows, read from the live file. */
import * as z from 'zod';
import type { Config } from '../../config/config.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { addDays, isDay } from '../../lib/days.ts';
import type { Search } from '../../queries/wide-reads/search.ts';
import { textParam } from './query-params.ts';
import type { ViewSources } from './status-view.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

type Range = readonly [from: number | null, below: number | null];

/** In bytes. */
const SIZES = {
  any: [null, null],
  small: [null, 100 * MIB],
  medium: [100 * MIB, GIB],
  large: [GIB, null],
} as const satisfies Record<string, Range>;

/** In seconds. */
const LENGTHS = {
  any: [null, null],
  minute: [null, 60],
  ten: [60, 600],
  hour: [600, 3_600],
  longer: [3_600, null],
} as const satisfies Record<string, Range>;

export type SizeRange = keyof typeof SIZES;
export type LengthRange = keyof typeof LENGTHS;

/** The query of the page. Invalid values are replaced by the defaults. */
export const searchQuery = z.object({
  /** Part of a title, in any case; null: any title. */
  q: textParam,
  /** `ACCOUNT/ID`, or the number or the name of a package. */
  package: textParam,
  /** When it was first stored: a day of the service, `YYYY-MM-DD`. */
  day: z.string().refine(isDay).nullable().catch(null).default(null),
  size: z.enum(Object.keys(SIZES) as [SizeRange]).catch('any'),
  length: z.enum(Object.keys(LENGTHS) as [LengthRange]).catch('any'),
  state: z.enum(['present', 'removed', 'all']).catch('present'),
  /** Where an earlier answer ended. */
  before: z.coerce
    .number()
    .int()
    .min(1)
    .max(2 ** 53 - 1)
    .nullable()
    .catch(null)
    .default(null),
});

export type SearchQuery = z.output<typeof searchQuery>;
export type SearchView = Awaited<ReturnType<typeof createSearchView>>;

/** Videos on a page, and the longest time of one search. */
export const SEARCH_LIMIT = 100;
const SEARCH_MS = 1_000;

/** Rejects as `WideReads.search` does. `result` is null before anything was asked, and for an unknown package. */
export async function createSearchView(
  { config, wideReads }: ViewSources,
  query: SearchQuery,
  signal: AbortSignal,
) {
  const key = query.package === null ? null : findPackage(config, query.package);
  const isAsked = query.q !== null || query.package !== null || query.day !== null;
  const isUnknown = query.package !== null && key === null;
  const search: Search = {
    text: query.q ?? '',
    filter: toFilter(query, key, config),
    before: query.before,
    limit: SEARCH_LIMIT,
    maxMs: SEARCH_MS,
  };
  const result = isAsked && !isUnknown ? await wideReads.search(search, signal) : null;
  return { query, isUnknown, result };
}

interface PackageRef {
  account: string;
  package_id: number;
}

function toFilter(
  { day, size, length, state }: SearchQuery,
  key: PackageRef | null,
  { durationUnit, timezone }: Pick<Config, 'durationUnit' | 'timezone'>,
) {
  const perSecond = durationUnit === 'ms' ? 1_000 : 1;
  const { startOf } = createCalendar(timezone);
  const [minBytes, maxBytes]: Range = SIZES[size];
  const [from, below]: Range = LENGTHS[length];
  return {
    account: key?.account ?? null,
    package_id: key?.package_id ?? null,
    stored_from: day === null ? null : toTimestamp(startOf(day)),
    stored_until: day === null ? null : toTimestamp(startOf(addDays(day, 1))),
    min_bytes: minBytes,
    max_bytes: maxBytes,
    min_duration: from === null ? null : from * perSecond,
    max_duration: below === null ? null : below * perSecond,
    removed: state === 'all' ? null : state === 'removed' ? (1 as const) : (0 as const),
  };
}

/** The first package of the config with this key, number or name; any that is written as `ACCOUNT/ID`; else null. */
export function findPackage({ accounts }: Pick<Config, 'accounts'>, text: string): PackageRef | null {
  for (const { name: account, packages } of accounts) {
    const found = packages.find(({ id, name }) => [`${account}/${id}`, String(id), name].includes(text));
    if (found) return { account, package_id: found.id };
  }
  const [, account, id] = /^(.+)\/(\d{1,15})$/.exec(text) ?? [];
  return account === undefined ? null : { account, package_id: Number(id) };
}

/** The list of videos and changes, on a page of its own and on that of a package: its query, and what it finds in the live file. */
import * as z from 'zod';
import type { Config } from '../../config/config.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { addDays, isDay } from '../../lib/days.ts';
import { LISTED_KINDS, SEARCHED_FIELDS } from '../../queries/named/changes.ts';
import { idParam, textParam } from './query-params.ts';
import type { ViewSources } from './status-view.ts';

const ROWS = 50;
const MOST_MS = 1_000;

/** The query of a list. Invalid values are replaced by the defaults. */
export const listQuery = z.object({
  /** What the field contains, in any case; null: anything. */
  q: textParam,
  in: z.enum(SEARCHED_FIELDS).catch('title'),
  /** Null: all changes; on the page of a package: the present videos. */
  kind: z
    .enum(['all', ...LISTED_KINDS])
    .nullable()
    .catch(null)
    .default(null),
  /** `ACCOUNT/ID`, or the number or the name of a package; null: all. */
  package: textParam,
  /** Of the service, `YYYY-MM-DD`. */
  day: z.string().refine(isDay).nullable().catch(null).default(null),
  run: idParam.nullable().catch(null).default(null),
  /** Where an earlier page ended: `FIRST.LATER`; null: at the newest. */
  from: z
    .string()
    .regex(/^\d{1,15}\.\d{1,15}$/)
    .nullable()
    .catch(null)
    .default(null),
});

export type ListQuery = z.output<typeof listQuery>;
export type ListView = Awaited<ReturnType<typeof createListView>>;

export interface PackageColumns {
  account: string;
  package_id: number;
}

/** Of the list on the page of one package. */
interface OnePackage {
  ofPackage: PackageColumns;
}

/** Rejects as `WideReads.changes` does. `result` is null for an unknown package or run. `now` is in ms since 1970. */
export async function createListView(
  { config, details, wideReads }: ViewSources,
  query: ListQuery,
  { now, signal, ...one }: { now: number; signal: AbortSignal } & Partial<OnePackage>,
) {
  const ofPackage = one.ofPackage ?? (query.package === null ? null : findPackage(config, query.package));
  const isUnknownPackage = !one.ofPackage && query.package !== null && ofPackage === null;
  const isUnknownRun = query.run !== null && !details.hasRun(query.run);
  const shown = query.kind ?? (one.ofPackage ? 'present' : 'all');
  const kind = shown === 'all' ? null : shown;
  const [first = 0, later = 0] = (query.from ?? '').split('.').map(Number);
  const request = {
    ...{ kind, ofPackage, text: query.q ?? '', field: query.in, run_id: query.run },
    ...toTimes(query.day, config),
    ...{ from: query.from === null ? null : { first, later }, limit: ROWS, maxMs: MOST_MS },
  };
  const isKnown = !isUnknownPackage && !isUnknownRun;
  return {
    ...{ now, query, kind, ofPackage, isUnknownPackage, isUnknownRun },
    unit: config.durationUnit,
    result: isKnown ? await wideReads.changes(request, signal) : null,
  };
}

function toTimes(day: string | null, { timezone }: Pick<Config, 'timezone'>) {
  if (day === null) return { since: null, until: null };
  const { startOf } = createCalendar(timezone);
  return { since: toTimestamp(startOf(day)), until: toTimestamp(startOf(addDays(day, 1))) };
}

/** The first package of the config with this key, number or name; any that is written as `ACCOUNT/ID`; else null. */
function findPackage({ accounts }: Pick<Config, 'accounts'>, text: string): PackageColumns | null {
  for (const { name: account, packages } of accounts) {
    const found = packages.find(({ id, name }) => [`${account}/${id}`, String(id), name].includes(text));
    if (found) return { account, package_id: found.id };
  }
  const [, account, id] = /^(.+)\/(\d{1,15})$/.exec(text) ?? [];
  return account === undefined ? null : { account, package_id: Number(id) };
}

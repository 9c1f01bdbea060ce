/** What the walks of a package came to by day of the service: the strip on the status page. */
import type { Config } from '../../config/config.ts';
import type { Status } from '../../database/schema/runs.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/days.ts';
import type { PackageKey } from '../../lib/package-key.ts';
import type { PageQueries } from '../../queries/page-queries.ts';
import { findToday } from './today.ts';

/** `partial`: a walk ended early or failed, and another one counted the videos. `none`: no walk did either. */
export const DAY_STATES = ['read', 'partial', 'failed', 'none'] as const;

export interface StripDay {
  /** `YYYY-MM-DD` */
  date: string;
  state: (typeof DAY_STATES)[number];
}

/** Days of a strip; the last one is today. */
const DAYS = 30;

interface StripSources {
  config: Pick<Config, 'timezone'>;
  details: Pick<PageQueries, 'sizes' | 'trouble'>;
}

/** The returned function reads the strip of a package, the oldest day first. `now` is in ms since 1970. */
export function createStripReader({ config, details }: StripSources, now: number) {
  const today = findToday(config, now);
  const first = addDays(today, 1 - DAYS);
  const days = [...createCalendar(config.timezone).days(first, today)].map(({ day, startsAt }) => ({
    date: day,
    startsAt: toTimestamp(startsAt),
  }));
  return (key: PackageKey): StripDay[] => {
    const counted = new Set(details.sizes(key, first).map(({ date }) => date));
    const trouble = new Map<string, Set<Status>>(days.map(({ date }) => [date, new Set()]));
    for (const { started_at: at, status } of details.trouble(key, days[0]?.startsAt ?? ''))
      trouble.get(days.findLast(({ startsAt }) => startsAt <= at)?.date ?? '')?.add(status);
    return days.map(({ date }) => ({ date, state: judge(counted.has(date), trouble.get(date)) }));
  };
}

function judge(isCounted: boolean, trouble: ReadonlySet<Status> = new Set()): StripDay['state'] {
  if (trouble.size === 0) return isCounted ? 'read' : 'none';
  return trouble.has('failed') && !isCounted ? 'failed' : 'partial';
}

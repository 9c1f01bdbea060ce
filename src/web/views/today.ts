/** The day of the service's calendar, and what changed on it. */
import type { Config } from '../../config/config.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { PageQueries } from '../../queries/page-queries.ts';

/** `YYYY-MM-DD`; `now` is in ms since 1970. */
export const findToday = ({ timezone }: Pick<Config, 'timezone'>, now: number): string =>
  createCalendar(timezone).dayAt(now);

/** By package, since the day of the service began. */
export function readTodaysChanges(
  { config, details }: { config: Pick<Config, 'timezone'>; details: Pick<PageQueries, 'videoChanges'> },
  now: number,
) {
  const { startOf } = createCalendar(config.timezone);
  return details.videoChanges(toTimestamp(startOf(findToday(config, now))));
}

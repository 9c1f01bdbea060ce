/** From when on the changes of a package are counted on the pages. */
import type { Config } from '../../config/config.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { fromTimestamp, toTimestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/days.ts';
import type { LastChange } from '../../queries/named/packages.ts';
import type { CountedPackage } from '../../queries/wide-reads.ts';

/** The last one is today. */
const COUNTED_DAYS = 30;
const NEVER = '9999-12-31 00:00:00';

/** The returned function adds the start of the last thirty days, or of the day after its first full walk. */
export function createCounting({ timezone }: Pick<Config, 'timezone'>, now: number) {
  const { startOf, dayAt } = createCalendar(timezone);
  const earliest = toTimestamp(startOf(addDays(dayAt(now), 1 - COUNTED_DAYS)));
  return ({ account, package_id, changed_seq, first_walked_at: first }: LastChange): CountedPackage => {
    const getStart = (at: string) =>
      at < earliest ? earliest : toTimestamp(startOf(addDays(dayAt(fromTimestamp(at)), 1)));
    return { account, package_id, changed_seq, since: first === null ? NEVER : getStart(first) };
  };
}

/** What keeps facts from being booked or trusted: days that wait, booked days that differ, a clock that is wrong. */
import { fromTimestamp, toTimestamp, WRONG_CLOCK_MS } from '../lib/clock.ts';
import { pluralize, formatOffset } from '../lib/format.ts';
import type { StatusQueries } from '../queries/status-queries.ts';
import type { Need } from './problems.ts';
import type { Standing, StorageReport } from './report.ts';
import type { FormatCommand } from './commands.ts';

/** Days that are shown of many. */
const EXAMPLES = 5;

type Since = (timestamp: string) => string;

/** Days whose figures are implausible. */
export function waitingNeeds({ account, waiting }: StorageReport, since: Since): Need[] {
  if (waiting.length === 0) return [];
  const days = pluralize(waiting.length, 'day');
  return [
    {
      words: `storage of ${account}: ${days} ${waiting.length === 1 ? 'waits' : 'wait'} for a second reading`,
      details: firstOf(
        waiting,
        (day) =>
          `${day.date}  ${day.reason ?? 'the service has not returned a later day'} (${since(day.since)})`,
      ),
      advice: [
        { words: 'a run at least an hour later books a day whose figures are the same', command: null },
      ],
    },
  ];
}

/** Booked days that the service now reports differently. */
export function discrepancyNeeds(
  { account, discrepancies }: StorageReport,
  since: Since,
  typed: FormatCommand,
): Need[] {
  const [newest] = discrepancies;
  const oldest = discrepancies.at(-1);
  if (!newest || !oldest) return [];
  const days = pluralize(discrepancies.length, 'booked day');
  return [
    {
      words: `storage of ${account}: the service now reports other figures for ${days}`,
      details: firstOf(
        discrepancies,
        (day) => `${day.date}  ${pluralize(day.fields, 'figure')} (${since(day.since)})`,
      ),
      advice: [
        { words: "to take the service's figures", command: typed(`correct ${account} ${newest.date}`) },
        {
          words: 'to compare again',
          command: typed(`sync --storage --from ${oldest.date} --to ${newest.date}`),
        },
      ],
    },
  ];
}

interface ClockFacts {
  overview: Pick<StatusQueries, 'newestTime'>;
  now: number;
}

/** A clock that the service's answers contradicted in the last run, or that the file contradicts. */
export function clockNeeds({ runs: [last] }: Omit<Standing, 'needs'>, { overview, now }: ClockFacts): Need[] {
  const advice = [{ words: "set the machine's clock (timedatectl shows it)", command: null }];
  const offset = last?.clock_offset_ms ?? null;
  const contradicted = {
    words: `in run ${last?.run_id ?? 0}, ${formatOffset(offset ?? 0)}: nothing was booked, given up or deleted by age`,
    details: [],
    advice,
  };
  const newest = overview.newestTime();
  const isAhead = newest !== null && fromTimestamp(newest) > now + WRONG_CLOCK_MS;
  const ahead = {
    words: `the newest moment in the warehouse, ${newest ?? ''} UTC, lies ahead of the machine's clock, ${toTimestamp(now)} UTC: nothing is given up or deleted by age until then`,
    details: [],
    advice,
  };
  return [...(offset === null ? [] : [contradicted]), ...(isAhead ? [ahead] : [])];
}

function firstOf<Day>(days: readonly Day[], format: (day: Day) => string): string[] {
  const left = days.length - EXAMPLES;
  return [...days.slice(0, EXAMPLES).map(format), ...(left > 0 ? [`and ${left} more`] : [])];
}

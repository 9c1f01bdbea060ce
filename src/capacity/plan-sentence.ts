/** Whether the limits of an account allow the schedule, in one sentence. */
import type { Schedule } from '../lib/cron-ticks.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/clock.ts';
import { formatCount, formatDuration } from '../lib/format.ts';
import type { AccountCost } from './cost.ts';
import { countOwnRequests, isTooLong, type Proposal, type Shortfall, type PlanResult } from './plan.ts';
import type { Timetable } from './timetable.ts';

/** An account, and the parts of its plan. */
export interface EvaluatedAccount {
  cost: AccountCost;
  result: PlanResult;
  /** Null if the schedule fits, or no other does. */
  proposal: Proposal | null;
  schedule: Schedule;
  timetable: Timetable;
}

/** `fits: 6,336 of 20,000 a day`, or `does not fit: …` with what exceeds the limits and what would fit. */
export function planSentence(account: EvaluatedAccount): string {
  const { cost, result, proposal, schedule } = account;
  if (result.shortfalls.length === 0) {
    const needed = `${atLeast(cost)}${formatCount(result.requestsPerDay)}`;
    return cost.perDay === null
      ? `fits: ${needed} a day, no limit`
      : `fits: ${needed} of ${formatCount(cost.perDay)} a day`;
  }
  const reasons = result.shortfalls.map((shortfall) => REASONS[shortfall](account)).join(', and ');
  const advice = proposal ? `${formatProposal(schedule, proposal)} would fit` : noScheduleFitsText(cost);
  return `does not fit: ${reasons}; ${advice}`;
}

/** As long as a size is unknown, all figures are lower bounds. */
function atLeast({ packagesUnknown }: AccountCost): string {
  return packagesUnknown > 0 ? 'at least ' : '';
}

const REASONS: Record<Shortfall, (account: EvaluatedAccount) => string> = {
  per_day({ cost, result, schedule, timetable }) {
    const full = `full walks ${formatCadence(timetable.full.everyMs, schedule.full)}`;
    const quick =
      schedule.quick === null || !timetable.quick
        ? ''
        : ` and quick ones ${formatCadence(timetable.quick.everyMs, schedule.quick)}`;
    const own = cost.own.length === 0 ? '' : ', with those by own schedules,';
    return `${full}${quick}${own} need ${atLeast(cost)}${formatCount(result.requestsPerDay)} a day`;
  },
  full_time({ cost, timetable }) {
    const time = `${atLeast(cost)}${formatDurationOrUnlimited(cost.full.time_ms)}`;
    return passTooLong('full', time, timetable.full.shortestMs);
  },
  quick_time({ cost, timetable }) {
    const time = formatDurationOrUnlimited(cost.quick.time_ms);
    return passTooLong('quick', time, timetable.quick?.shortestMs ?? 0);
  },
  own_time({ cost }) {
    return cost.own
      .filter(isTooLong)
      .map(({ schedule, time_ms, shortestMs }) => {
        const time = `${atLeast(cost)}${formatDurationOrUnlimited(time_ms)}`;
        return `${passTooLong('full', time, shortestMs)} at "${schedule}"`;
      })
      .join(', and ');
  },
};

function passTooLong(kind: 'full' | 'quick', time: string, betweenMs: number): string {
  return `a ${kind} pass takes longer than the time between two of its runs (${time}, ${formatInterval(betweenMs)})`;
}

function formatCadence(everyMs: number | null, expression: string): string {
  return everyMs === null ? `at "${expression}"` : formatInterval(everyMs);
}

const UNITS = [
  [DAY_MS, 'day', 'days'],
  [HOUR_MS, 'hour', 'h'],
  [MINUTE_MS, 'minute', 'min'],
] as const;

/** `every hour`, `every 2 h`, `every 90 min`. */
function formatInterval(ms: number): string {
  const [unitMs, one, many] = UNITS.find(([unit]) => ms % unit === 0) ?? UNITS[2];
  return ms === unitMs ? `every ${one}` : `every ${formatCount(ms / unitMs)} ${many}`;
}

/** Milliseconds, rounded up to seconds; null: `no limit`. */
export function formatDurationOrUnlimited(ms: number | null): string {
  return ms === null ? 'no limit' : formatDuration(Math.ceil(ms / 1000) * 1000);
}

function formatProposal(present: Schedule, { fullMinutes, quickMinutes }: Proposal): string {
  const full = fullMinutes === null ? null : formatMinutes(fullMinutes);
  if (quickMinutes === null) return present.quick === null ? (full ?? '') : `full walks ${full ?? ''}`;
  const quick = quickMinutes === 0 ? 'no quick ones' : `quick ones ${formatMinutes(quickMinutes)}`;
  return full === null ? quick : `full walks ${full} and ${quick}`;
}

function formatMinutes(minutes: number): string {
  return minutes === 1440 ? 'every 24 h' : formatInterval(minutes * MINUTE_MS);
}

function noScheduleFitsText(cost: AccountCost): string {
  const { full, own, perDay } = cost;
  const ownRequests = countOwnRequests(own);
  if (own.some(isTooLong) || (perDay !== null && ownRequests > perDay / 2))
    return `the own schedules of packages need ${atLeast(cost)}${formatCount(ownRequests)} a day: make them rarer, or raise the limits`;
  return perDay !== null && full.requests > perDay
    ? `even one full walk a day needs ${atLeast(cost)}${formatCount(full.requests)}: raise per_day or split the account's packages`
    : `even one full walk a day takes ${atLeast(cost)}${formatDurationOrUnlimited(full.time_ms)}: raise its limits or split the account's packages`;
}

/** Whether the limits of an account carry the schedule, in one sentence; and what would fit. */
import type { ScheduleConfig } from '../config/config.ts';
import type { AccountCost, Proposal, Shortfall, PlanResult } from './plan.ts';
import type { Timetable } from './timetable.ts';
import { formatCount, formatDuration } from '../lib/format.ts';

/** What a verdict is said of. */
export interface Judgement {
  cost: AccountCost;
  verdict: PlanResult;
  /** Null where the schedule fits, or no other does. */
  proposal: Proposal | null;
  schedule: ScheduleConfig;
  timetable: Timetable;
}

/** `fits: 6,336 of 20,000 a day`, or `does not fit: …` with what is short and what would fit. */
export function planSentence(judgement: Judgement): string {
  const { verdict, proposal } = judgement;
  if (verdict.shortfalls.length === 0) return fitWords(judgement);
  const reasons = verdict.shortfalls.map((shortfall) => REASONS[shortfall](judgement)).join(', and ');
  return `does not fit: ${reasons}; ${proposal ? `${proposalWords(judgement, proposal)} would fit` : noScheduleFitsText(judgement)}`;
}

function fitWords({ cost, verdict }: Judgement): string {
  const needed = `${atLeast(cost)}${formatCount(verdict.requestsPerDay)}`;
  return cost.perDay === null
    ? `fits: ${needed} a day, no limit`
    : `fits: ${needed} of ${formatCount(cost.perDay)} a day`;
}

/** With a size that nobody knows yet, all figures are lower bounds. */
function atLeast({ packagesUnknown }: AccountCost): string {
  return packagesUnknown > 0 ? 'at least ' : '';
}

const REASONS: Record<Shortfall, (judgement: Judgement) => string> = {
  per_day: ({ cost, verdict, schedule, timetable }) => {
    const full = `full walks ${rhythmWords(timetable.full.everyMs, schedule.full)}`;
    const quick =
      schedule.quick === null || !timetable.quick
        ? ''
        : ` and quick ones ${rhythmWords(timetable.quick.everyMs, schedule.quick)}`;
    return `${full}${quick} need ${atLeast(cost)}${formatCount(verdict.requestsPerDay)} a day`;
  },
  full_time: ({ cost, timetable }) =>
    passWords(
      'full',
      `${atLeast(cost)}${formatDurationOrUnlimited(cost.full.timeMs)}`,
      timetable.full.shortestMs,
    ),
  quick_time: ({ cost, timetable }) =>
    passWords('quick', formatDurationOrUnlimited(cost.quick.timeMs), timetable.quick?.shortestMs ?? 0),
};

function passWords(kind: 'full' | 'quick', time: string, betweenMs: number): string {
  return `a ${kind} pass takes longer than the time between two of its runs (${time}, ${everyWords(betweenMs)})`;
}

function rhythmWords(everyMs: number | null, expression: string): string {
  return everyMs === null ? `at "${expression}"` : everyWords(everyMs);
}

const UNITS = [
  [86_400_000, 'day', 'days'],
  [3_600_000, 'hour', 'h'],
  [60_000, 'minute', 'min'],
] as const;

/** A time between two runs, in milliseconds: `every hour`, `every 2 h`, `every 90 min`. */
function everyWords(ms: number): string {
  const [unitMs, one, many] = UNITS.find(([unit]) => ms % unit === 0) ?? UNITS[2];
  return ms === unitMs ? `every ${one}` : `every ${formatCount(ms / unitMs)} ${many}`;
}

/** Milliseconds at the limits, in whole seconds; null: `no limit`. */
export function formatDurationOrUnlimited(ms: number | null): string {
  return ms === null ? 'no limit' : formatDuration(Math.ceil(ms / 1000) * 1000);
}

function proposalWords({ schedule }: Judgement, { fullMinutes, quickMinutes }: Proposal): string {
  const full = fullMinutes === null ? null : stepWords(fullMinutes);
  if (quickMinutes === null) return schedule.quick === null ? (full ?? '') : `full walks ${full ?? ''}`;
  const quick = quickMinutes === 0 ? 'no quick ones' : `quick ones ${stepWords(quickMinutes)}`;
  return full === null ? quick : `full walks ${full} and ${quick}`;
}

function stepWords(minutes: number): string {
  return minutes === 1440 ? 'every 24 h' : everyWords(minutes * 60_000);
}

function noScheduleFitsText({ cost }: Judgement): string {
  const { full, perDay } = cost;
  return perDay !== null && full.requests > perDay
    ? `even one full walk a day needs ${atLeast(cost)}${formatCount(full.requests)}: raise per_day or split the account's packages`
    : `even one full walk a day takes ${atLeast(cost)}${formatDurationOrUnlimited(full.timeMs)}: raise its limits or split the account's packages`;
}

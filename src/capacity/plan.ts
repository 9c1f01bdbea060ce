/** Whether limits allow a schedule, and which schedule they would allow. Pure. */
import type { Schedule } from '../lib/cron-ticks.ts';
import type { AccountCost, OwnCost } from './cost.ts';
import type { RunsPerDay, Timetable } from './timetable.ts';

/**
 * What exceeds the limits: the requests of a day, or the time until its next run of a full or quick pass, or of a full pass
 * over packages with their own schedule.
 */
export type Shortfall = 'per_day' | 'full_time' | 'quick_time' | 'own_time';

export interface PlanResult {
  /** Of the 24 hours with the most requests. */
  runs: RunsPerDay;
  requestsPerDay: number;
  /** Empty where the schedule fits. */
  shortfalls: Shortfall[];
}

/** A schedule that fits. `fullMinutes` and `quickMinutes` are the changed intervals; null: unchanged. */
export interface Proposal {
  schedule: Schedule;
  fullMinutes: number | null;
  /** 0: without quick runs. */
  quickMinutes: number | null;
}

export type GetTimetable = (schedule: Schedule) => Timetable;

/** Minutes between two runs that are proposed; all of them divide a day. */
export const FULL_STEPS = [60, 120, 180, 240, 360, 480, 720, 1440] as const;
export const QUICK_STEPS = [10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1440] as const;

/** The requests of all own schedules in a day; their fullest days count, also where they are not the same day. */
export function countOwnRequests(own: readonly OwnCost[]): number {
  return own.reduce((total, { requests, runsPerDay }) => total + requests * runsPerDay, 0);
}

/** Does a pass take longer than the time between two of its runs? */
export function isTooLong({ time_ms, shortestMs }: OwnCost): boolean {
  return (time_ms ?? 0) > shortestMs;
}

/** Compares the cost of an account with its limits: in the fullest 24 hours, and from each run to the next. */
export function evaluatePlan({ full, quick, own, perDay }: AccountCost, timetable: Timetable): PlanResult {
  const countRequests = (runs: RunsPerDay) => runs.full * full.requests + runs.quick * quick.requests;
  const runs = timetable.days.reduce((most, each) =>
    countRequests(each) > countRequests(most) ? each : most,
  );
  const requestsPerDay = countRequests(runs) + countOwnRequests(own);
  const isOver: Record<Shortfall, boolean> = {
    per_day: perDay !== null && requestsPerDay > perDay,
    full_time: (full.time_ms ?? 0) > timetable.full.shortestMs,
    quick_time: timetable.quick !== null && (quick.time_ms ?? 0) > timetable.quick.shortestMs,
    own_time: own.some(isTooLong),
  };
  const shortfalls = (Object.keys(isOver) as Shortfall[]).filter((each) => isOver[each]);
  return { runs, requestsPerDay, shortfalls };
}

/**
 * Finds the schedule nearest to the present one that fits all of these accounts; null where none does. It makes full runs
 * rarer first; where that is not enough, quick runs as little rarer as possible, and full runs where necessary.
 */
export function proposeSchedule(
  costs: readonly AccountCost[],
  present: Schedule,
  getTimetable: GetTimetable,
): Proposal | null {
  const proposal = listCandidates(present).find(({ schedule }) =>
    costs.every((cost) => evaluatePlan(cost, getTimetable(schedule)).shortfalls.length === 0),
  );
  if (!proposal || proposal.quickMinutes === null) return proposal ?? null;
  const { schedule } = proposal;
  const hasQuick = getTimetable(schedule).days.some(({ quick }) => quick > 0);
  return hasQuick ? proposal : { ...proposal, schedule: { ...schedule, quick: null }, quickMinutes: 0 };
}

/** In order of preference. */
function listCandidates(present: Schedule): Proposal[] {
  const minute = /^\d+(?= )/.exec(present.full)?.[0] ?? '0'; // the minute of the hour stays as it is
  const createCandidate = (fullMinutes: number | null, quickMinutes: number | null): Proposal => {
    const full = fullMinutes === null ? present.full : formatCron(fullMinutes, minute);
    const quick = quickMinutes === null ? present.quick : formatCron(quickMinutes, minute);
    return { schedule: { ...present, full, quick }, fullMinutes, quickMinutes };
  };
  const rarerFull = FULL_STEPS.map((step) => createCandidate(step, null));
  if (present.quick === null) return rarerFull;
  const rarerQuick = QUICK_STEPS.flatMap((quick) =>
    [null, ...FULL_STEPS].map((full) => createCandidate(full, quick)),
  );
  return [...rarerFull, ...rarerQuick];
}

/** The cron expression that ticks every `step` minutes; from an hour up, at this minute of the hour. */
function formatCron(step: number, minute: string): string {
  if (step < 60) return `*/${step} * * * *`;
  if (step === 60) return `${minute} * * * *`;
  return step === 1440 ? `${minute} 0 * * *` : `${minute} */${step / 60} * * *`;
}

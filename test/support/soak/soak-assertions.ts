/**
 * Finds the violations of a long-running worker in the rows that it stored. Each function returns messages; none if there is no
 * violation. Pure.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts';
import { outageWithin } from './soak-service.ts';
import { DAYS, END, QUICK_MS, START, type Soak, type SoakRun } from './soak.ts';

type Life = Pick<Soak, 'runs' | 'outages' | 'deaths'>;

const formatTime = (at: number) => new Date(at).toISOString().slice(0, 19);
const formatRun = ({ id, mode, status, startedAt }: SoakRun) =>
  `run ${id} (${mode}, ${status}) of ${formatTime(startedAt)}`;

/** The ticks of the schedule from the first full hour on; the last full one is after the end, and runs anyway. */
export function ticks(): { full: number[]; quick: number[] } {
  const first = Math.ceil(START / HOUR_MS) * HOUR_MS;
  const all = Array.from({ length: (DAYS * DAY_MS) / QUICK_MS + 1 }, (_, index) => first + index * QUICK_MS);
  return { full: all.filter((at) => at % HOUR_MS === 0), quick: all.filter((at) => at <= END) };
}

/** Runs that began before the previous one was over. */
export const overlaps = ({ runs }: Life): string[] =>
  runs.slice(1).flatMap((run, index) => {
    const before = runs[index] ?? run;
    return run.startedAt < before.finishedAt ? [`${formatRun(run)} overlaps ${formatRun(before)}`] : [];
  });

/**
 * Ticks without a completed run within a minute. While the service pauses the worker, no worker runs, or a run is in progress,
 * the run may begin up to a minute after the end of that.
 */
export function unserved(life: Life, due: readonly number[], isKind: (run: SoakRun) => boolean): string[] {
  const started = life.runs.filter((run) => isKind(run) && run.status !== 'interrupted');
  return due.flatMap((tick) => {
    const until = latestFor(life, tick) + MINUTE_MS;
    const isServed = started.some(({ startedAt }) => startedAt >= tick && startedAt <= until);
    return isServed ? [] : [`nothing began at ${formatTime(tick)}`];
  });
}

function latestFor({ runs, outages, deaths }: Life, tick: number): number {
  const outage = outageWithin(outages, tick, tick);
  const isPausing = outage?.kind === 'too many' || outage?.kind === 'announced';
  const death = deaths.find(({ at, again }) => at - MINUTE_MS <= tick && tick <= again);
  const free = Math.max(tick, isPausing ? outage.pausedUntil : tick, death?.again ?? tick);
  const underWay = runs.findLast(({ status, startedAt }) => status !== 'interrupted' && startedAt < free);
  return Math.max(free, underWay?.finishedAt ?? free);
}

/** Ticks for which more than one new run began, except after a killed one. */
export function doubled({ runs }: Life, due: readonly number[], mode: SoakRun['mode']): string[] {
  const fresh = runs.filter((run) => run.mode === mode && !run.goesOn && run.status !== 'interrupted');
  return due.flatMap((tick, index) => {
    const next = due[index + 1] ?? Infinity;
    const of = fresh.filter(({ startedAt }) => startedAt >= tick && startedAt < next);
    return of.length > 1 ? [of.map(formatRun).join(' and ')] : [];
  });
}

/** Runs that did not succeed although the service was healthy and the process lived. */
export const unexplained = ({ runs, outages, deaths }: Life): string[] =>
  runs.flatMap((run) => {
    const { status, startedAt, finishedAt, error } = run;
    const isKilled = deaths.some(({ at }) => startedAt <= at && at <= finishedAt);
    const isWell = status === 'succeeded' || (status === 'interrupted' && isKilled);
    return isWell || outageWithin(outages, startedAt, finishedAt) ? [] : [`${formatRun(run)}: ${error}`];
  });

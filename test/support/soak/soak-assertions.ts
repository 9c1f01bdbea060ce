/**
 * Finds the violations of a long-running worker in the rows that it stored. Each function returns messages;
 * none if there is no violation. Pure.
 */
import type { SoakRun } from './soak-results.ts';
import { MINUTE_MS } from '../../../src/lib/clock.ts';
import { outageWithin, type Outage } from './soak-outages.ts';

export interface Life {
  runs: readonly SoakRun[];
  outages: readonly Outage[];
  deaths: readonly { at: number; again: number }[];
}

const formatTime = (at: number) => new Date(at).toISOString().slice(0, 19);
const formatRun = ({ id, mode, status, startedAt }: SoakRun) =>
  `run ${id} (${mode}, ${status}) of ${formatTime(startedAt)}`;

/** Runs that began before the previous one was over. */
export function overlaps({ runs }: Life): string[] {
  return runs.flatMap((run, index) => {
    const before = runs[index - 1];
    return before && run.startedAt < before.finishedAt
      ? [`${formatRun(run)} overlaps ${formatRun(before)}`]
      : [];
  });
}

/**
 * Ticks without a completed run within a minute. While the service pauses the worker, no worker runs, or a
 * run is in progress, the run may begin up to a minute after the end of that.
 */
export function unserved(life: Life, ticks: readonly number[], isKind: (run: SoakRun) => boolean): string[] {
  const started = life.runs
    .filter((run) => isKind(run) && run.status !== 'interrupted')
    .map(({ startedAt }) => startedAt);
  return ticks.flatMap((tick) => {
    const until = latestFor(life, tick) + MINUTE_MS;
    return started.some((at) => at >= tick && at <= until) ? [] : [`nothing began at ${formatTime(tick)}`];
  });
}

function latestFor({ runs, outages, deaths }: Life, tick: number): number {
  const outage = outageWithin(outages, tick, tick);
  const death = deaths.find(({ at, again }) => at - MINUTE_MS <= tick && tick <= again);
  const free = Math.max(tick, outage && isPausing(outage) ? outage.pausedUntil : tick, death?.again ?? tick);
  const underWay = runs.findLast(({ status, startedAt }) => status !== 'interrupted' && startedAt < free);
  return Math.max(free, underWay?.finishedAt ?? free);
}

function isPausing({ kind }: Outage): boolean {
  return kind === 'too many' || kind === 'announced';
}

/** Ticks for which more than one new run began, except after a killed one. */
export function doubled({ runs }: Life, ticks: readonly number[], mode: SoakRun['mode']): string[] {
  const fresh = runs.filter((run) => run.mode === mode && !run.goesOn && run.status !== 'interrupted');
  return ticks.flatMap((tick, index) => {
    const next = ticks[index + 1] ?? Infinity;
    const of = fresh.filter(({ startedAt }) => startedAt >= tick && startedAt < next);
    return of.length > 1 ? [of.map(formatRun).join(' and ')] : [];
  });
}

/** Runs that did not succeed although the service was healthy and the process lived. */
export function unexplained({ runs, outages, deaths }: Life): string[] {
  return runs.flatMap((run) => {
    const { status, startedAt, finishedAt, error } = run;
    const isKilled = deaths.some(({ at }) => startedAt <= at && at <= finishedAt);
    const isWell = status === 'succeeded' || (status === 'interrupted' && isKilled);
    return isWell || outageWithin(outages, startedAt, finishedAt) ? [] : [`${formatRun(run)}: ${error}`];
  });
}

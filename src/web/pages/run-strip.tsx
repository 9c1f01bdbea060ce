/** The last runs as a strip of bars. */
import { STATUSES, type Status } from '../../database/schema/values.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import { formatCount, pluralize } from '../../lib/format.ts';
import type { RunGlance } from '../../queries/named/runs.ts';
import { Strip } from '../charts/figures.tsx';
import { runPath } from './paths.ts';
import { formatElapsed, useLocalTime } from './format.tsx';

/** In px. */
const LOWEST = 6;

const SIGNS: Record<Status, string> = {
  succeeded: '',
  partial: '!',
  failed: '✕',
  parked: '‖',
  interrupted: '◇',
  running: '▸',
};

interface BarsProps {
  /** The newest first. */
  runs: readonly RunGlance[];
  now: number;
  /** In px: of a run, and of the highest bar. */
  step: number;
  highest: number;
  /** Each bar has a sign, and a link. */
  isDetailed?: true;
}

/** The outcome of each run as a colour, its duration as a height; the oldest first. */
export function RunBars({ runs, now, step, highest, isDetailed }: BarsProps) {
  const toLocal = useLocalTime();
  const shown = runs
    .map((run) => ({ run, ms: getElapsed(run, now), startedAt: toLocal(run.started_at) }))
    .reverse();
  const longest = Math.max(...shown.map(({ ms }) => ms), 1);
  const ticks = listTicks(shown.map(({ startedAt }) => startedAt));
  const bars = shown.map(({ run, ms, startedAt }, at) => ({
    class: `run-${run.status}`,
    // grows with the root, so that short runs next to a long one differ
    height: Math.round(LOWEST + Math.sqrt(ms / longest) * (highest - LOWEST)),
    ...(isDetailed && {
      sign: SIGNS[run.status],
      tick: ticks[at],
      href: runPath(run.run_id),
      title: describeRun(run, startedAt),
    }),
  }));
  return <Strip bars={bars} step={step} height={highest} />;
}

/** Bars from one tick to the next, at least. */
const TICK_BARS = 5;

/**
 * The axis below the runs that began at `times` (`YYYY-MM-DD HH:MM:SS`, the oldest first): each new day, or
 * each new hour of one day.
 */
function listTicks(times: readonly string[]): (string | undefined)[] {
  const toDay = (time = '') => time.slice(0, 10);
  const isOneDay = toDay(times[0]) === toDay(times.at(-1));
  const toUnit = (time = '') => time.slice(0, isOneDay ? 13 : 10);
  let last = -TICK_BARS;
  return times.map((time, at) => {
    if (at - last < TICK_BARS || toUnit(time) === toUnit(times[at - 1])) return undefined;
    last = at;
    return isOneDay ? time.slice(11, 16) : time.slice(5, 10);
  });
}

/** The last runs with a legend. `runs`: the newest first. */
export function RunStrip({ runs, now }: { runs: readonly RunGlance[]; now: number }) {
  const counts = STATUSES.map(
    (status) => [status, runs.filter((run) => run.status === status).length] as const,
  );
  const legend = counts.flatMap(([status, count]) =>
    count > 0 ? `${SIGNS[status]} ${formatCount(count)} ${status}`.trim() : [],
  );
  return (
    <div class="run-strip">
      <div class="scroll" role="group" tabIndex={0} aria-label={`The last ${pluralize(runs.length, 'run')}`}>
        <RunBars runs={runs} now={now} step={12} highest={40} isDetailed />
      </div>
      <p class="legend soft">
        {[...legend, 'height: duration'].map((text) => (
          <span key={text}>{text}</span>
        ))}
      </p>
    </div>
  );
}

function describeRun(
  { run_id: id, mode, status, started_at: start, finished_at: end }: RunGlance,
  at: string,
) {
  return `Run ${id} (${mode}): ${status}, ${at}${end === null ? '' : `, took ${formatElapsed(start, end)}`}`;
}

/** In ms. A killed run has no end: it counts as 0. */
function getElapsed({ status, started_at: start, finished_at: end }: RunGlance, now: number): number {
  if (end === null && status !== 'running') return 0;
  return Math.max(0, (end === null ? now : fromTimestamp(end)) - fromTimestamp(start));
}

/** The last runs as a strip: the outcome as a colour and a shape, the duration as a height. */
import { STATUSES, type Status } from '../../database/schema/runs.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import { formatCount, pluralize } from '../../lib/format.ts';
import type { RunGlance } from '../../queries/named/runs.ts';
import { formatElapsed, runPath, useLocalTime } from './format.tsx';

/** In px: of a run, of the highest bar, of the whole strip. */
const STEP = 12;
const BAR = 40;
const HEIGHT = 60;
const LOWEST = 3;

/** Drawn in a square of 8 px. */
const SHAPES: Record<Status, string> = {
  succeeded: 'M4 2a2 2 0 1 1 0 4a2 2 0 1 1 0-4z',
  partial: 'M4 0L8 8H0z',
  failed: 'M1 0L4 3L7 0L8 1L5 4L8 7L7 8L4 5L1 8L0 7L3 4L0 1z',
  parked: 'M1 0H3V8H1zM5 0H7V8H5z',
  interrupted: 'M4 0L8 4L4 8L0 4z',
  running: 'M1 0L8 4L1 8z',
};

interface RunStripProps {
  /** The newest first. */
  runs: readonly RunGlance[];
  /** In ms since 1970. */
  now: number;
}

/** The links are out of the tab order: the table of the runs has the same ones. */
export function RunStrip({ runs, now }: RunStripProps) {
  if (runs.length === 0) return null;
  const bars = runs.map((run) => ({ run, ms: getElapsed(run, now) })).reverse();
  const longest = Math.max(...bars.map(({ ms }) => ms), 1);
  const width = bars.length * STEP;
  return (
    <div class="run-strip">
      <div class="scroll" role="group" tabIndex={0} aria-label={describe(runs)}>
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT}>
          {bars.map(({ run, ms }, index) => (
            <Bar key={run.run_id} run={run} x={index * STEP} height={toHeight(ms, longest)} />
          ))}
        </svg>
      </div>
      <Legend runs={runs} />
    </div>
  );
}

/** Grows with the root, so that short runs beside a long one can be told apart. */
const toHeight = (ms: number, longest: number) =>
  Math.round(LOWEST + Math.sqrt(ms / longest) * (BAR - LOWEST));

function Bar({ run, x, height }: { run: RunGlance; x: number; height: number }) {
  const toLocal = useLocalTime();
  return (
    <a href={runPath(run.run_id)} tabindex={-1} class={`run-${run.status}`}>
      <title>{describeRun(run, toLocal(run.started_at))}</title>
      <rect class="area" x={x} y={0} width={STEP} height={HEIGHT} />
      <rect x={x + 2} y={BAR - height} width={STEP - 4} height={height} rx={1} />
      <path d={SHAPES[run.status]} transform={`translate(${x + 2} ${BAR + 8})`} />
    </a>
  );
}

function Legend({ runs }: { runs: readonly RunGlance[] }) {
  return (
    <p class="legend soft">
      {countStatuses(runs).map(({ status, count }) => (
        <span key={status} class={`run-${status}`}>
          <svg viewBox="0 0 8 8" width={10} height={10} aria-hidden="true">
            <path d={SHAPES[status]} />
          </svg>{' '}
          {formatCount(count)} {status}
        </span>
      ))}
      <span>height: duration</span>
    </p>
  );
}

const countStatuses = (runs: readonly RunGlance[]) =>
  STATUSES.map((status) => ({ status, count: runs.filter((run) => run.status === status).length })).filter(
    ({ count }) => count > 0,
  );

function describe(runs: readonly RunGlance[]): string {
  const counts = countStatuses(runs).map(({ status, count }) => `${formatCount(count)} ${status}`);
  return `The last ${pluralize(runs.length, 'run')}: ${counts.join(', ')}`;
}

function describeRun({ run_id: id, mode, status, ...run }: RunGlance, start: string): string {
  const end = run.finished_at;
  const took = end === null ? '' : `, took ${formatElapsed(run.started_at, end)}`;
  return `Run ${id} (${mode}): ${status}, ${start}${took}`;
}

/** In ms. A killed run has no end: it counts as 0. */
function getElapsed({ status, started_at: start, finished_at: end }: RunGlance, now: number): number {
  if (end === null && status !== 'running') return 0;
  return Math.max(0, (end === null ? now : fromTimestamp(end)) - fromTimestamp(start));
}

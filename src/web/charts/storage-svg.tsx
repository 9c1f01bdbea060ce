/** The chart of storage as SVG: positions are in percent, so that it fits any width while texts and lines keep their size. */
import type { ComponentChildren } from 'preact';
import { formatDayLabels, listDayTicks, toDayNumber } from './day-axis.ts';
import { formatBinaryBytes } from '../../lib/format.ts';
import {
  createLevelAxis,
  createSizeAxis,
  formatSizeLabel,
  listSizeTicks,
  type SizeAxis,
} from './size-axis.ts';
import { listCorrected, listGaps, type StorageChart } from './storage-chart.ts';

/** Fills of the image; the pages have those of page.css in light and dark. */
const COLOURS = ['#2c5cae', '#cb7c1f'];
const INK = '#1b2230';
const LINE = '#d9dde4';
const STEPS = 4;
/** Width for which the labels of days are chosen; a phone shows each second one. */
const LABEL_WIDTH_PX = 620;
/** The plot is drawn in this many units from the bottom to the top. */
const HEIGHT = 1_000;

const percent = (share: number): string => `${Number((share * 100).toFixed(3))}%`;

interface StorageSvgProps {
  chart: StorageChart;
  /** Only for readers that do not see it. */
  label: string;
}

/** Fills its parent; labels stand outside: 20 pixels below, 80 pixels at the left. */
export function StorageSvg({ chart, label }: StorageSvgProps) {
  return (
    <svg class="chart-svg" width="100%" height="100%" overflow="visible" role="img" aria-label={label}>
      <Plot chart={chart} />
    </svg>
  );
}

/** A file of its own, 960 pixels wide. */
export function StorageImage({ chart, label, heading }: StorageSvgProps & { heading: string }) {
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width="960"
      height="380"
      viewBox="0 0 960 380"
      role="img"
      font-family="system-ui, sans-serif"
      font-size="12"
    >
      <title>{label}</title>
      <rect width="960" height="380" fill="#ffffff" />
      <text x="20" y="28" font-size="15" font-weight="600" fill={INK}>
        {heading}
      </text>
      <svg x="90" y="76" width="840" height="260" overflow="visible">
        <Plot chart={chart} />
      </svg>
    </svg>
  );
}

function Plot({ chart }: { chart: StorageChart }) {
  const axis = createAxis(chart);
  return (
    <>
      <Grid axis={axis} />
      <Stretched points={chart.points.length}>
        {listGaps(chart).map(({ at, length }) => (
          <rect
            key={at}
            class="chart-gap"
            x={at}
            y="0"
            width={length}
            height={HEIGHT}
            fill={LINE}
            fill-opacity="0.6"
          />
        ))}
        {chart.mode === 'level' ? (
          <Level points={chart.points} axis={axis} />
        ) : (
          <Bars chart={chart} axis={axis} />
        )}
      </Stretched>
      {chart.mode === 'level' && <Ends points={chart.points} axis={axis} />}
      <Marks chart={chart} />
      <Days chart={chart} />
    </>
  );
}

function createAxis({ points, mode }: StorageChart): SizeAxis {
  const totals = points.flatMap(({ total }) => total ?? []);
  if (mode === 'change' || totals.length === 0)
    return createSizeAxis(Math.min(0, ...totals), Math.max(0, ...totals), STEPS);
  return createLevelAxis(Math.min(...totals), Math.max(...totals), STEPS);
}

const toShare = (bytes: number, { bottomBytes, topBytes }: SizeAxis): number =>
  (topBytes - bytes) / (topBytes - bottomBytes);

/** The position of a size in units from the top. */
const toUnits = (bytes: number, axis: SizeAxis): number => Math.round(toShare(bytes, axis) * HEIGHT);

function Grid({ axis }: { axis: SizeAxis }) {
  return (
    <>
      {listSizeTicks(axis).map((tick) => {
        const y = percent(toShare(tick, axis));
        return (
          <g key={tick}>
            <line
              class={tick === 0 ? 'chart-zero' : 'chart-grid'}
              x1="0"
              x2="100%"
              y1={y}
              y2={y}
              stroke={tick === 0 ? INK : LINE}
            />
            <text class="chart-text" x="-8" y={y} dy="0.32em" text-anchor="end" fill={INK}>
              {formatSizeLabel(tick, axis.unit)}
            </text>
          </g>
        );
      })}
    </>
  );
}

/** A point is one unit wide. */
function Stretched({ points, children }: { points: number; children: ComponentChildren }) {
  return (
    <svg
      width="100%"
      height="100%"
      viewBox={`0 0 ${Math.max(1, points)} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {children}
    </svg>
  );
}

/** The sum of all files as a line, with nothing through a gap. */
function Level({ points, axis }: { points: StorageChart['points']; axis: SizeAxis }) {
  const totals = points.map(({ total }) => total ?? 0);
  const runs = listRuns(points.map(({ total }) => total !== null));
  const path = runs.map((run) => `M${toPath(toLine(run, totals, axis))}`).join('');
  return (
    <path
      class="chart-level"
      d={path}
      fill="none"
      stroke={COLOURS[0]}
      stroke-width="2"
      vector-effect="non-scaling-stroke"
    />
  );
}

/** The first and the last known size, at the ends of the line. */
function Ends({ points, axis }: { points: StorageChart['points']; axis: SizeAxis }) {
  const known = points.flatMap(({ total }, at) => (total === null ? [] : [{ total, at }]));
  const ends = [known[0], known.length > 1 ? known.at(-1) : undefined];
  return (
    <>
      {ends.map((end, index) => {
        if (!end) return null;
        const share = toShare(end.total, axis);
        return (
          <text
            key={index}
            class="chart-end"
            x={percent((end.at + 0.5) / points.length)}
            y={percent(share)}
            dy={share < 0.05 ? '1.4em' : '-0.6em'}
            text-anchor={index === 0 ? 'start' : 'end'}
            fill={INK}
          >
            {formatBinaryBytes(end.total)}
          </text>
        );
      })}
    </>
  );
}

interface Run {
  from: number;
  /** After the last one. */
  to: number;
}

function listRuns(known: readonly boolean[]): Run[] {
  const runs: Run[] = [];
  known.forEach((isKnown, at) => {
    if (!isKnown) return;
    const last = runs.at(-1);
    if (last?.to === at) last.to += 1;
    else runs.push({ from: at, to: at + 1 });
  });
  return runs;
}

/** Through the middle of each point; level from there to the ends of the run, so that a single day is a column. */
function toLine({ from, to }: Run, tops: readonly number[], axis: SizeAxis): [x: number, y: number][] {
  const at = (point: number) => toUnits(tops[point] ?? 0, axis);
  const middles = Array.from({ length: to - from }, (_, index): [number, number] => [
    from + index + 0.5,
    at(from + index),
  ]);
  return [[from, at(from)], ...middles, [to, at(to - 1)]];
}

const toPath = (line: readonly [number, number][]): string => line.map(([x, y]) => `${x} ${y}`).join('L');
function Bars({ chart: { points }, axis }: { chart: StorageChart; axis: SizeAxis }) {
  const zero = toUnits(0, axis);
  const bars = points.map(({ total }, at) => ({ at, total: total ?? 0, y: toUnits(total ?? 0, axis) }));
  const draw = (sign: number) =>
    bars
      .filter(({ total }) => Math.sign(total) === sign)
      .map(({ at, y }) => `M${at + 0.15} ${zero}V${y === zero ? zero - sign * 4 : y}h0.7V${zero}Z`)
      .join('');
  return (
    <>
      <path class="chart-growth" d={draw(1)} fill={COLOURS[0]} />
      <path class="chart-decline" d={draw(-1)} fill={COLOURS[1]} />
    </>
  );
}

/** `live` is above the marks of corrected days, which may be near. */
function Marks({ chart }: { chart: StorageChart }) {
  const count = chart.points.length;
  const middle = (at: number) => percent((at + 0.5) / count);
  return (
    <>
      {listCorrected(chart).map((at) => (
        <text key={at} class="chart-mark" x={middle(at)} y="-4" text-anchor="middle" fill={INK}>
          ◆
        </text>
      ))}
      {chart.live !== null && (
        <g class="chart-live">
          <line
            x1={middle(count - 1)}
            x2={middle(count - 1)}
            y1="0"
            y2="100%"
            stroke={INK}
            stroke-dasharray="3 3"
          />
          <text class="chart-mark" x={middle(count - 1)} y="-16" text-anchor="end" fill={INK}>
            live
          </text>
        </g>
      )}
    </>
  );
}

function Days({ chart: { days, points, daysPerPoint } }: { chart: StorageChart }) {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return null;
  const begin = toDayNumber(last.date) + 1 - points.length * daysPerPoint;
  const ticks = listDayTicks(toDayNumber(first.date), toDayNumber(last.date), LABEL_WIDTH_PX);
  const labels = formatDayLabels(ticks);
  return (
    <>
      {ticks.map((tick, at) => {
        const x = percent((tick + 0.5 - begin) / daysPerPoint / points.length);
        const [text = '', year = ''] = (labels[at] ?? '').split('\n');
        return (
          <g key={tick} class={at % 2 === 1 ? 'chart-second' : undefined}>
            <line class="chart-grid" x1={x} x2={x} y1="100%" y2="102%" stroke={LINE} />
            <text class="chart-text" x={x} y="100%" dy="1.5em" text-anchor="middle" fill={INK}>
              {text}
            </text>
            {year !== '' && (
              <text class="chart-text" x={x} y="100%" dy="2.7em" text-anchor="middle" fill={INK}>
                {year}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

/** The level of storage as a line, in SVG: positions are in percent, so that it fits any width while texts and lines keep their size. */
import { formatBinaryBytes } from '../../lib/format.ts';
import { formatTotal, sumSizes, type CalendarDay } from '../views/storage-days.ts';
import { createSizeScale, listDayTicks, type SizeScale } from './scale.ts';

/** Colours of the image; the pages have those of chart.css in light and dark. */
const BLUE = '#2c5cae';
const INK = '#1b2230';
const LINE = '#d9dde4';
const STEPS = 4;
/** The plot is drawn in this many units from the bottom to the top, and in one unit a day. */
const HEIGHT = 1_000;
/** More points than a screen has room for. */
const MOST_POINTS = 420;

export interface LevelChart {
  account: string;
  /** The oldest first, without holes. */
  days: readonly CalendarDay[];
  /** Today, if its sizes may still change. */
  live: string | null;
}

const percent = (share: number): string => `${Number((share * 100).toFixed(3))}%`;

/** Fills its parent; labels stand outside: 40 pixels below, 80 pixels at the left. */
export function StorageSvg({ chart }: { chart: LevelChart }) {
  return (
    <svg
      class="chart-svg"
      width="100%"
      height="100%"
      overflow="visible"
      role="img"
      aria-label={describeLevel(chart)}
    >
      <Plot chart={chart} />
    </svg>
  );
}

/** A file of its own, 960 pixels wide. */
export function StorageImage({ chart }: { chart: LevelChart }) {
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
      <title>{describeLevel(chart)}</title>
      <rect width="960" height="380" fill="#ffffff" />
      <text x="20" y="28" font-size="15" font-weight="600" fill={INK}>
        Storage of {chart.account}
      </text>
      <svg x="90" y="76" width="840" height="260" overflow="visible">
        <Plot chart={chart} />
      </svg>
    </svg>
  );
}

/** A sentence for readers that do not see the chart. */
function describeLevel({ account, days, live }: LevelChart): string {
  const known = days.filter(({ row }) => row !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (!first?.row || !last?.row) return `Storage of ${account}: no day with sizes`;
  const end = `${formatTotal(last.row)} on ${last.date}${last.date === live ? ' (live)' : ''}`;
  if (first === last) return `Storage of ${account}: ${end}`;
  return `Storage of ${account} by day: from ${formatTotal(first.row)} on ${first.date} to ${end}`;
}

/** A day, or several of a long range: then with the sizes of the last one. */
interface Point {
  day: CalendarDay;
  /** The first day and the one after the last, counted from the start of the chart. */
  from: number;
  to: number;
  /** Null: not known. */
  bytes: number | null;
}

/** The last point is full, so the newest days are never a part of one. */
function listPoints(days: readonly CalendarDay[]): Point[] {
  const size = Math.ceil(days.length / MOST_POINTS);
  const points: Point[] = [];
  for (let to = days.length; to > 0; to -= size) {
    const from = Math.max(0, to - size);
    const group = days.slice(from, to);
    const day = group.findLast(({ row }) => row !== null) ?? group.at(-1);
    if (day) points.unshift({ day, from, to, bytes: day.row && sumSizes(day.row).bytes });
  }
  return points;
}

function Plot({ chart: { days, live } }: { chart: LevelChart }) {
  const points = listPoints(days);
  const known = points.flatMap((point) => (point.bytes === null ? [] : [{ ...point, bytes: point.bytes }]));
  const scale = createSizeScale(known.length === 0 ? [0] : known.map(({ bytes }) => bytes), STEPS);
  return (
    <>
      <Grid scale={scale} />
      <svg
        width="100%"
        height="100%"
        viewBox={`0 0 ${Math.max(1, days.length)} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <path class="chart-gap" d={drawGaps(points)} fill={LINE} fill-opacity="0.6" />
        <path
          class="chart-level"
          d={drawLevel(points, scale)}
          fill="none"
          stroke={BLUE}
          stroke-width="2"
          vector-effect="non-scaling-stroke"
        />
        {points.map((point) => (
          <rect
            key={point.from}
            x={point.from}
            width={point.to - point.from}
            height={HEIGHT}
            fill-opacity="0"
          >
            <title>{describePoint(point, live)}</title>
          </rect>
        ))}
      </svg>
      <Ends ends={[known[0], known[1] && known.at(-1)]} scale={scale} count={days.length} />
      <Marks days={days} live={live} />
      <DayAxis days={days} />
    </>
  );
}

/** As a tooltip. */
function describePoint({ day: { date, row } }: Point, live: string | null): string {
  if (row === null) return `${date}: no figures`;
  const state = date === live ? ' (live)' : row.is_corrected === 1 ? ' (corrected)' : '';
  return `${date}: ${formatTotal(row)}${state}`;
}

const drawGaps = (points: readonly Point[]): string =>
  points.map(({ bytes, from, to }) => (bytes === null ? `M${from} 0H${to}V${HEIGHT}H${from}z` : '')).join('');

/** Through the middle of each point, with nothing through a gap; level at the ends, so that a single day can be seen. */
function drawLevel(points: readonly Point[], scale: SizeScale): string {
  return points
    .map(({ bytes, from, to }, at) => {
      if (bytes === null) return '';
      const y = Math.round(scale.toShare(bytes) * HEIGHT);
      const isFirst = (points[at - 1]?.bytes ?? null) === null;
      const isLast = (points[at + 1]?.bytes ?? null) === null;
      return `${isFirst ? `M${from} ${y}` : ''}L${(from + to) / 2} ${y}${isLast ? `H${to}` : ''}`;
    })
    .join('');
}

function Grid({ scale: { ticks, toShare } }: { scale: SizeScale }) {
  return (
    <>
      {ticks.map(({ bytes, label }) => {
        const y = percent(toShare(bytes));
        return (
          <g key={bytes}>
            <line class="chart-grid" x1="0" x2="100%" y1={y} y2={y} stroke={LINE} />
            <text class="chart-text" x="-8" y={y} dy="0.32em" text-anchor="end" fill={INK}>
              {label}
            </text>
          </g>
        );
      })}
    </>
  );
}

interface EndsProps {
  ends: readonly ({ from: number; bytes: number } | undefined)[];
  scale: SizeScale;
  count: number;
}

/** The first and the last known size, at the ends of the line. */
function Ends({ ends, scale, count }: EndsProps) {
  return (
    <>
      {ends.map((end, index) => {
        if (!end) return null;
        const share = scale.toShare(end.bytes);
        return (
          <text
            key={index}
            class="chart-end"
            x={percent((end.from + 0.5) / count)}
            y={percent(share)}
            dy={share < 0.05 ? '1.4em' : '-0.6em'}
            text-anchor={index === 0 ? 'start' : 'end'}
            fill={INK}
            stroke="#ffffff"
            stroke-width="4"
            paint-order="stroke"
          >
            {formatBinaryBytes(end.bytes)}
          </text>
        );
      })}
    </>
  );
}

/** Corrected days, and above them the live one. */
function Marks({ days, live }: Pick<LevelChart, 'days' | 'live'>) {
  const middle = (at: number) => percent((at + 0.5) / days.length);
  const end = middle(days.length - 1);
  return (
    <>
      {days.map(
        ({ date, row }, at) =>
          row?.is_corrected === 1 && (
            <text key={date} class="chart-mark" x={middle(at)} y="-4" text-anchor="middle" fill={INK}>
              ◆
            </text>
          ),
      )}
      {live !== null && (
        <g class="chart-live">
          <line x1={end} x2={end} y1="0" y2="100%" stroke={INK} stroke-dasharray="3 3" />
          <text class="chart-mark" x={end} y="-16" text-anchor="end" fill={INK}>
            live
          </text>
        </g>
      )}
    </>
  );
}

function DayAxis({ days }: Pick<LevelChart, 'days'>) {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return null;
  return (
    <>
      {listDayTicks(first.date, last.date).map(({ at, label, year }, index) => {
        const x = percent((at + 0.5) / days.length);
        return (
          <g key={at} class={index % 2 === 1 ? 'chart-second' : undefined}>
            <line class="chart-grid" x1={x} x2={x} y1="100%" y2="102%" stroke={LINE} />
            <text class="chart-text" x={x} y="100%" dy="1.5em" text-anchor="middle" fill={INK}>
              {label}
            </text>
            {year !== null && (
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

/**
 * The level of storage as a line, in SVG: positions are in percent, so that it fits any width while texts and
 * lines keep their size.
 */
import { formatTotal, sumSizes, type CalendarDay } from './storage-days.ts';
import { createSizeScale, listDayTicks, type SizeScale } from './scale.ts';

/** Colours of the image; the pages have those of chart.css in light and dark. */
const BLUE = '#2c5cae';
const INK = '#1b2230';
const LINE = '#d9dde4';
/** The plot is drawn in this many units from the bottom to the top, and in one unit a day. */
const HEIGHT = 1_000;
/** The most days that have tooltips. */
const MOST_TOOLTIPS = 420;

export interface LevelChart {
  /** An account, or `all accounts`. */
  name: string;
  /** The days, the oldest first, without holes. */
  days: readonly CalendarDay[];
  /** Today, if its sizes may still change. */
  live: string | null;
}

const percent = (share: number): string => `${Number((share * 100).toFixed(3))}%`;

/** A chart that fills its parent. Its labels are outside: 30 px above and below, and 80 px at the left. */
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

/** The chart as a file of its own, 960 pixels wide. */
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
        Storage of {chart.name}
      </text>
      <svg x="90" y="66" width="830" height="270" overflow="visible">
        <Plot chart={chart} />
      </svg>
    </svg>
  );
}

/** A text for readers that do not see the chart. */
function describeLevel({ name, days, live }: LevelChart): string {
  const known = days.filter(({ row }) => row !== null);
  const describe = ({ row, date }: CalendarDay) =>
    `${row ? formatTotal(row) : ''} on ${date}${date === live ? ' (live)' : ''}`;
  const ends = [known[0], known[1] && known.at(-1)].flatMap((day) => (day ? [describe(day)] : []));
  return `Storage of ${name} by day: ${ends.join(' to ')}`;
}

const listSizes = (days: readonly CalendarDay[]) => days.map(({ row }) => row && sumSizes(row).bytes);

function createScale(sizes: readonly (number | null)[]): SizeScale {
  const known = sizes.filter((size) => size !== null);
  return createSizeScale(known.length === 0 ? [0] : known);
}

/** The size at which the axis begins: `36.5 TiB`, or `0`. */
export const findAxisStart = (days: readonly CalendarDay[]): string =>
  createScale(listSizes(days)).ticks[0]?.label ?? '0';

function Plot({ chart: { days, live } }: { chart: LevelChart }) {
  const sizes = listSizes(days);
  const scale = createScale(sizes);
  return (
    <>
      <Grid scale={scale} />
      <svg
        width="100%"
        height="100%"
        viewBox={`0 0 ${Math.max(1, days.length)} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <path class="chart-gap" d={drawGaps(sizes)} fill={LINE} fill-opacity="0.6" />
        <path
          class="chart-level"
          d={drawLevel(sizes, scale)}
          fill="none"
          stroke={BLUE}
          stroke-width="2"
          vector-effect="non-scaling-stroke"
        />
        {days.length <= MOST_TOOLTIPS &&
          days.map((day, at) => (
            <rect key={at} x={at} width={1} height={HEIGHT} fill-opacity="0">
              <title>{describeDay(day, live)}</title>
            </rect>
          ))}
      </svg>
      {live !== null && <LiveDay days={days} />}
      <DayAxis days={days} />
    </>
  );
}

function describeDay({ date, row }: CalendarDay, live: string | null): string {
  if (row === null) return `${date}: no figures`;
  const state = date === live ? ' (live)' : row.is_corrected === 1 ? ' (corrected)' : '';
  return `${date}: ${formatTotal(row)}${state}`;
}

const drawGaps = (sizes: readonly (number | null)[]): string =>
  sizes.map((size, at) => (size === null ? `M${at} 0H${at + 1}V${HEIGHT}H${at}z` : '')).join('');

/**
 * The path of a line through the middle of each day, with a hole at each gap. It is level at its ends, so
 * that a single day can be seen.
 */
function drawLevel(sizes: readonly (number | null)[], scale: SizeScale): string {
  return sizes
    .map((size, at) => {
      if (size === null) return '';
      const y = Math.round(scale.toShare(size) * HEIGHT);
      const isFirst = (sizes[at - 1] ?? null) === null;
      const isLast = (sizes[at + 1] ?? null) === null;
      return `${isFirst ? `M${at} ${y}` : ''}L${at + 0.5} ${y}${isLast ? `H${at + 1}` : ''}`;
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

/** A line through the last day, which is not over yet. */
function LiveDay({ days }: Pick<LevelChart, 'days'>) {
  const x = percent((days.length - 0.5) / days.length);
  return (
    <g class="chart-live">
      <line x1={x} x2={x} y1="0" y2="100%" stroke={INK} stroke-dasharray="3 3" />
      <text x={x} y="-8" text-anchor="end" fill={INK}>
        today, not over yet
      </text>
    </g>
  );
}

function DayAxis({ days }: Pick<LevelChart, 'days'>) {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return null;
  return (
    <>
      {listDayTicks(first.date, last.date).map(({ at, label }, index) => {
        const x = percent((at + 0.5) / days.length);
        return (
          <g key={at} class={index % 2 === 1 ? 'chart-second' : undefined}>
            <line class="chart-grid" x1={x} x2={x} y1="100%" y2="102%" stroke={LINE} />
            <text class="chart-text" x={x} y="100%" dy="1.5em" text-anchor="middle" fill={INK}>
              {label}
            </text>
          </g>
        );
      })}
    </>
  );
}

/**
 * Small charts: a figure by day as a line, bars next to the figures of a column, and strips of days or runs.
 */
import type { ComponentChildren } from 'preact';
import { formatChange, formatCount } from '../../lib/format.ts';

/** A day, `YYYY-MM-DD`, and its value. */
export type Point = readonly [date: string, value: number];

/** A line of the number of videos of a package; `sizes` has the oldest day first. */
export function Sparkline({ sizes }: { sizes: readonly { date: string; videos: number }[] }) {
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (!first || !last) return <span class="soft">not counted yet</span>;
  if (sizes.length < 2) return <span class="soft">since {first.date}</span>;
  const points = sizes.map(({ date, videos }): Point => [date, videos]);
  return (
    <span class="spark">
      <Line points={points} width={120} height={24} label={describe(points, formatCount)} />
      <small>
        {formatChange(last.videos - first.videos)} since {first.date}
      </small>
    </span>
  );
}

interface TrendChartProps {
  label: string;
  /** At least two points, the oldest first. */
  points: readonly Point[];
  format: (value: number) => string;
}

/** A line with its values at both ends; the axis is fitted to the values. */
export function TrendChart({ label, points, format }: TrendChartProps) {
  const text = describe(points, format);
  return (
    <figure class="trend">
      <figcaption>
        {label} <strong>{format(points.at(-1)?.[1] ?? 0)}</strong>
      </figcaption>
      <Line points={points} width={400} height={96} label={`${label}: ${text}`} />
      <p class="soft">
        {text.split(', ').map((end) => (
          <span key={end}>{end}</span>
        ))}
      </p>
    </figure>
  );
}

const describe = (points: readonly Point[], format: (value: number) => string): string =>
  [points[0], points.at(-1)].map((point) => point && `${format(point[1])} on ${point[0]}`).join(', ');

/** Without a `label` the chart repeats figures next to it, and is hidden from screen readers. */
type LineProps = { points: readonly Point[]; width: number; height: number; label?: string };

export function Line({ points, width, height, label }: LineProps) {
  const positions = points.map(([date, value]) => ({ time: Date.parse(date), depth: -value }));
  const [times, depths] = [positions.map(({ time }) => time), positions.map(({ depth }) => depth)];
  const [x, y] = [createScale(times, width), createScale(depths, height)];
  const places = positions.map(({ time, depth }) => `${x(time)},${y(depth)}`);
  return (
    <svg
      class="trend-line"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      preserveAspectRatio="none"
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img' })}
    >
      {label !== undefined && <title>{label}</title>}
      <polyline points={places.join(' ')} />
    </svg>
  );
}

const PADDING = 2;

function createScale(values: readonly number[], length: number): (value: number) => number {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const span = length - 2 * PADDING;
  return (value) =>
    Math.round((max === min ? length / 2 : PADDING + ((value - min) / (max - min)) * span) * 10) / 10;
}

/** The size of a bar in px as it is drawn: the page stretches it. */
const BAR = { width: 80, height: 10 };

/**
 * The returned function shows one of the values: its text, after a bar on the scale of all values. Bars of
 * negative values go to the left of zero.
 */
export function createBars(values: readonly number[]) {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const toX = (value: number) => Math.round(((value - least) / (most - least || 1)) * BAR.width);
  return (value: number, text: ComponentChildren) => {
    const [from, to] = [toX(Math.min(0, value)), toX(Math.max(0, value))];
    const { width, height } = BAR;
    return (
      <span class="measure">
        <svg viewBox={`0 0 ${width} ${height}`} {...BAR} preserveAspectRatio="none" aria-hidden="true">
          <rect
            class={value < 0 ? 'below' : undefined}
            x={from}
            width={Math.max(to - from, 1)}
            height={height}
          />
        </svg>
        <span>{text}</span>
      </span>
    );
  };
}

export interface StripBar {
  class: string;
  /** The height in px, which shows the state without its colour, as `sign` does. */
  height: number;
  sign?: string;
  /** The label on the axis. */
  tick?: string | undefined;
  href?: string;
  title?: string;
}

interface StripProps {
  bars: readonly StripBar[];
  /** The width of a bar with its gap, and the height of the strip without its texts, in px. */
  step: number;
  height: number;
  /** Left out where the bars have titles of their own, or the text next to them has the same content. */
  label?: string;
}

/** The height in px of the signs, and of the ticks below them. */
const TEXT_LINE = 15;

/** A row of bars. Their links are out of the tab order: a table below has the same ones. */
export function Strip({ bars, step, height, label }: StripProps) {
  const width = bars.length * step;
  const signsEnd = bars.some(({ sign }) => sign !== undefined) ? height + TEXT_LINE : height;
  const end = bars.some(({ tick }) => tick !== undefined) ? signsEnd + TEXT_LINE : signsEnd;
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${width} ${end}`}
      width={width}
      height={end}
      role={label === undefined ? undefined : 'img'}
    >
      {label !== undefined && <title>{label}</title>}
      {bars.map((bar, at) => (
        <Bar key={at} bar={bar} left={at * step} step={step} height={height} signsEnd={signsEnd} end={end} />
      ))}
    </svg>
  );
}

/** In px: the left end and the width of the bar, and the lower ends of the bars, of the signs and of all. */
type BarProps = { bar: StripBar } & Record<'left' | 'step' | 'height' | 'signsEnd' | 'end', number>;

function Bar({ bar, left, step, height, signsEnd, end }: BarProps) {
  const shape = (
    <>
      {bar.title !== undefined && <title>{bar.title}</title>}
      {bar.href !== undefined && <rect class="area" x={left} width={step} height={end} />}
      <rect class={bar.class} x={left + 1} y={height - bar.height} width={step - 2} height={bar.height} />
      {bar.sign !== undefined && (
        <text x={left + step / 2} y={signsEnd - 2} text-anchor="middle">
          {bar.sign}
        </text>
      )}
      {bar.tick !== undefined && (
        <text x={left + 1} y={end - 2}>
          {bar.tick}
        </text>
      )}
    </>
  );
  if (bar.href === undefined) return <g>{shape}</g>;
  return (
    <a href={bar.href} tabindex={-1}>
      {shape}
    </a>
  );
}

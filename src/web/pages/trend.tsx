/** A figure by day, as a line: small in a table, or large with its values at both ends. */
import { formatCount } from '../../lib/format.ts';
import { formatChange } from './format.tsx';

const PADDING = 2;

/** A day, `YYYY-MM-DD`, and its value. */
type Point = readonly [date: string, value: number];

/** The number of videos of a package; `sizes` has the oldest day first. */
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
  /** The oldest first; at least two. */
  points: readonly Point[];
  format: (value: number) => string;
}

/** The axis is fitted to the values. */
export function TrendChart({ label, points, format }: TrendChartProps) {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  return (
    <figure class="trend">
      <figcaption>
        {label} <strong>{format(last[1])}</strong>
      </figcaption>
      <Line points={points} width={400} height={96} label={`${label}: ${describe(points, format)}`} />
      <p class="soft">
        <span>
          {format(first[1])} on {first[0]}
        </span>
        <span>
          {format(last[1])} on {last[0]}
        </span>
      </p>
    </figure>
  );
}

function describe(points: readonly Point[], format: (value: number) => string): string {
  const ends = [points[0], points.at(-1)].flatMap((point) => (point ? [point] : []));
  return ends.map(([date, value]) => `${format(value)} on ${date}`).join(', ');
}

function Line({
  points,
  width,
  height,
  label,
}: {
  points: readonly Point[];
  width: number;
  height: number;
  label: string;
}) {
  const x = createScale(
    points.map(([date]) => Date.parse(date)),
    width,
  );
  const y = createScale(
    points.map(([, value]) => value),
    height,
  );
  const places = points.map(([date, value]) => `${x(Date.parse(date))},${height - y(value)}`);
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      preserveAspectRatio="none"
      role="img"
    >
      <title>{label}</title>
      <polyline points={places.join(' ')} />
    </svg>
  );
}

function createScale(values: readonly number[], length: number): (value: number) => number {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const span = length - 2 * PADDING;
  return (value) =>
    Math.round((max === min ? length / 2 : PADDING + ((value - min) / (max - min)) * span) * 10) / 10;
}

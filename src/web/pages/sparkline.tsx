/** The number of videos of a package by day, as a small line. */
import { formatCount } from '../../lib/format.ts';
import { formatChange } from './format.tsx';

const WIDTH = 120;
const HEIGHT = 24;
const PADDING = 2;

interface Size {
  /** `YYYY-MM-DD` */
  date: string;
  videos: number;
}

/** `sizes` has the oldest day first. */
export function Sparkline({ sizes }: { sizes: readonly Size[] }) {
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (!first || !last) return <span class="soft">not counted yet</span>;
  if (sizes.length < 2) return <span class="soft">since {first.date}</span>;
  const change = `${formatChange(last.videos - first.videos)} since ${first.date}`;
  return (
    <span class="spark">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img">
        <title>{`${formatCount(first.videos)} videos on ${first.date}, ${formatCount(last.videos)} on ${last.date}`}</title>
        <polyline points={toPoints(sizes)} />
      </svg>
      <small>{change}</small>
    </span>
  );
}

function toPoints(sizes: readonly Size[]): string {
  const days = sizes.map(({ date }) => Date.parse(date));
  const videos = sizes.map((size) => size.videos);
  const [x, y] = [createScale(days, WIDTH), createScale(videos, HEIGHT)];
  return sizes.map((size) => `${x(Date.parse(size.date))},${HEIGHT - y(size.videos)}`).join(' ');
}

function createScale(values: readonly number[], length: number): (value: number) => number {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const span = length - 2 * PADDING;
  return (value) =>
    Math.round((max === min ? length / 2 : PADDING + ((value - min) / (max - min)) * span) * 10) / 10;
}

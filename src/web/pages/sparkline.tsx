/** How many videos a package had, as a small line. */
import { formatCount } from '../../lib/format.ts';
import { signed } from './format.tsx';

const WIDTH = 120;
const HEIGHT = 24;
const EDGE = 2;

export interface Size {
  /** A day, `YYYY-MM-DD`. */
  date: string;
  videos: number;
}

/** The line of these days, the oldest first, with the difference in words; of less than two days, since when. */
export function Sparkline({ sizes }: { sizes: readonly Size[] }) {
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (!first || !last) return <span class="soft">not counted yet</span>;
  if (sizes.length < 2) return <span class="soft">since {first.date}</span>;
  const change = `${signed(last.videos - first.videos)} since ${first.date}`;
  return (
    <span class="spark">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img">
        <title>{`${formatCount(first.videos)} videos on ${first.date}, ${formatCount(last.videos)} on ${last.date}`}</title>
        <polyline points={pointsOf(sizes)} />
      </svg>
      <small>{change}</small>
    </span>
  );
}

/** Days to the right as far apart as they are; the least at the bottom, the most at the top. */
function pointsOf(sizes: readonly Size[]): string {
  const days = sizes.map(({ date }) => Date.parse(date));
  const videos = sizes.map((size) => size.videos);
  const [x, y] = [scaleOf(days, WIDTH), scaleOf(videos, HEIGHT)];
  return sizes.map((size) => `${x(Date.parse(size.date))},${HEIGHT - y(size.videos)}`).join(' ');
}

function scaleOf(values: readonly number[], length: number): (value: number) => number {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = length - 2 * EDGE;
  return (value) =>
    Math.round((most === least ? length / 2 : EDGE + ((value - least) / (most - least)) * room) * 10) / 10;
}

/** Bars beside the figures of a column. */

const WIDTH = 80;
const HEIGHT = 10;

/** The returned function draws one of the values; negative ones go to the left of zero. Null without a value to draw. */
export function createBars(values: readonly number[]) {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const span = most - least;
  if (!Number.isFinite(span) || span === 0) return null;
  const toX = (value: number) => Math.round(((value - least) / span) * WIDTH * 10) / 10;
  return (value: number) => {
    const [from, to] = [toX(0), toX(value)];
    const [x, width] = [Math.min(from, to), Math.max(Math.abs(to - from), 1)];
    return (
      <svg class="bar" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
        <rect class={to < from ? 'below' : undefined} x={x} y={0} width={width} height={HEIGHT} />
      </svg>
    );
  };
}

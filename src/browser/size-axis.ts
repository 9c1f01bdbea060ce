/** Formats sizes, and finds round ones for an axis. Sizes are in bytes. */
import prettyBytes from 'pretty-bytes';

const GIB = 1024 ** 3;
const TIB = 1024 ** 4;
const ROUND = [1, 2, 2.5, 5, 10];

/** `1.53 TiB`, `50 GiB`: as `formatBinaryBytes` for the tables of the pages. */
export function formatSize(bytes: number): string {
  return prettyBytes(bytes, { binary: true });
}

/** An axis from 0 to `topBytes`, with ticks every `stepBytes`: both are round in GiB or TiB. */
export interface SizeAxis {
  unit: 'GiB' | 'TiB';
  stepBytes: number;
  topBytes: number;
}

/** The smallest axis that contains `maxBytes` and has at most `maxSteps` steps. */
export function createSizeAxis(maxBytes: number, maxSteps: number): SizeAxis {
  const [unit, unitBytes] = maxBytes >= TIB ? (['TiB', TIB] as const) : (['GiB', GIB] as const);
  const max = maxBytes > 0 ? maxBytes / unitBytes : 1;
  const minStep = max / maxSteps;
  const power = 10 ** Math.floor(Math.log10(minStep));
  const step = (ROUND.find((each) => each * power >= minStep * (1 - 1e-9)) ?? 10) * power;
  const topBytes = Math.ceil(max / step - 1e-9) * step * unitBytes;
  return { unit, stepBytes: step * unitBytes, topBytes };
}

/** Includes 0. */
export function listSizeTicks({ stepBytes, topBytes }: SizeAxis): number[] {
  return Array.from({ length: Math.round(topBytes / stepBytes) + 1 }, (_, at) => at * stepBytes);
}

/** `1.5 TiB`; 0 is `0`. */
export function formatSizeLabel(bytes: number, unit: SizeAxis['unit']): string {
  const size = Number((bytes / (unit === 'TiB' ? TIB : GIB)).toPrecision(6));
  return size === 0 ? '0' : `${size.toLocaleString('en', { maximumFractionDigits: 12 })} ${unit}`;
}

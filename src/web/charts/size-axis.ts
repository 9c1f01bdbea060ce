/** Round sizes for an axis. Sizes are in bytes. */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;
const ROUND = [1, 2, 2.5, 5, 10];

/** An axis with ticks every `stepBytes`; both ends are ticks, and all are round in `unit`. */
export interface SizeAxis {
  unit: (typeof UNITS)[number];
  stepBytes: number;
  bottomBytes: number;
  topBytes: number;
}

/** The smallest axis that contains 0, `minBytes` and `maxBytes`, and has about `maxSteps` steps: at most one more below 0. */
export function createSizeAxis(minBytes: number, maxBytes: number, maxSteps: number): SizeAxis {
  return fitAxis(Math.min(0, minBytes), Math.max(0, maxBytes), maxSteps);
}

/** As `createSizeAxis`, but without 0 where both sizes are above it and near each other: growth of some percent can be seen. */
export function createLevelAxis(minBytes: number, maxBytes: number, maxSteps: number): SizeAxis {
  const isNear = maxBytes > minBytes && maxBytes - minBytes < maxBytes / 2;
  return isNear ? fitAxis(minBytes, maxBytes, maxSteps) : createSizeAxis(minBytes, maxBytes, maxSteps);
}

function fitAxis(low: number, high: number, maxSteps: number): SizeAxis {
  const greatest = Math.max(-low, high, 1);
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(greatest) / 10));
  const unitBytes = 1024 ** power;
  const minStep = high === low ? 1 : (high - low) / unitBytes / maxSteps; // a step of a whole unit where all is 0
  const ten = 10 ** Math.floor(Math.log10(minStep));
  const step = (ROUND.find((each) => each * ten >= minStep * (1 - 1e-9)) ?? 10) * ten;
  const stepBytes = step * unitBytes;
  const bottomBytes = Math.floor(low / stepBytes + 1e-9) * stepBytes;
  const topBytes = Math.ceil(high / stepBytes - 1e-9) * stepBytes;
  const isFlat = bottomBytes === topBytes;
  return { unit: UNITS[power] ?? 'B', stepBytes, bottomBytes, topBytes: isFlat ? stepBytes : topBytes };
}

/** From the bottom up. */
export function listSizeTicks({ stepBytes, bottomBytes, topBytes }: SizeAxis): number[] {
  const from = Math.round(bottomBytes / stepBytes);
  const steps = Math.round((topBytes - bottomBytes) / stepBytes);
  return Array.from({ length: steps + 1 }, (_, at) => (from + at) * stepBytes);
}

/** `1.5 TiB`, `−2 GiB`; 0 is `0`. */
export function formatSizeLabel(bytes: number, unit: SizeAxis['unit']): string {
  const size = Number((Math.abs(bytes) / 1024 ** UNITS.indexOf(unit)).toPrecision(6));
  const text = `${size.toLocaleString('en', { maximumFractionDigits: 12 })} ${unit}`;
  return size === 0 ? '0' : `${bytes < 0 ? '\u2212' : ''}${text}`;
}

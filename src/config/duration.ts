const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

/** What a duration in the config looks like: a whole number with its unit. */
export const DURATION = /^(\d+)(ms|s|m|h|d)$/;

/** Milliseconds of a duration such as `500ms`, `90s`, `2m`, `1h` or `7d`; null if it is no duration, or beyond 2^53. */
export function parseDuration(text: string): number | null {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count === undefined || unit === undefined) return null;
  const ms = Number(count) * UNITS[unit as keyof typeof UNITS];
  return Number.isSafeInteger(ms) ? ms : null;
}

/**
 * How many cases a random test plays: `few` in `npm test`; in `npm run test:slow` a sixth of them all, and all
 * with `VODHOUSE_FULL=1`. Files named `*.property.test.ts` run in both.
 */
export function rounds(all: number, few = all): number {
  const { VODHOUSE_FULL: full, VODHOUSE_SLOW: slow } = process.env;
  if (full === '1') return all;
  return slow === '1' ? Math.ceil(all / 6) : few;
}

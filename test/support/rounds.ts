/**
 * How many cases a long random test plays: all of them with `VODHOUSE_FULL=1`, otherwise half of them, so that a run of
 * `npm run test:slow` takes 20 minutes.
 */
export const rounds = (all: number): number =>
  process.env['VODHOUSE_FULL'] === '1' ? all : Math.ceil(all / 2);

/** How many cases a random test plays: one of fifteen, and all with `VODHOUSE_FULL=1`. */
export function rounds(all: number): number {
  const PARTS = 15;
  return process.env['VODHOUSE_FULL'] === '1' ? all : Math.ceil(all / PARTS);
}

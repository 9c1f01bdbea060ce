/** Findings that every kind of target has. */
import type { Finding } from './target.ts';

/** Days (`YYYY-MM-DD`) whose booked figures in the target are others than those of the warehouse. */
export function describeBooked(account: string, days: readonly string[]): Finding[] {
  if (days.length === 0) return [];
  const shown = days.slice(0, 5).join(', ') + (days.length > 5 ? ` and ${days.length - 5} more` : '');
  const message = `account ${account}: booked days have other figures in the target than in the warehouse, and stay: ${shown}`;
  return [{ kind: 'booked_differs', message }];
}

/** An account of which the target has rows, and that the warehouse no longer has under that name. */
export const describeLeftBehind = (account: string, target: string): Finding => ({
  kind: 'left_behind',
  message: `account ${account} is no longer in this warehouse (renamed, moved or forgotten); its rows stay in the target until vodhouse publish --target ${target} --rebuild ${account}`,
});

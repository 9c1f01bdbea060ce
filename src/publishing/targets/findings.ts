/** Findings that every kind of target has. */
import type { Finding } from './target.ts';

/** Days (`YYYY-MM-DD`) whose booked figures in the target are others than those of the warehouse. */
export function describeBooked(account: string, days: readonly string[]): Finding[] {
  if (days.length === 0) return [];
  const shown = listDays(days);
  const message = `account ${account}: booked days have other figures in the target than in the warehouse, and stay: ${shown}`;
  return [{ kind: 'booked_differs', message }];
}

/** Days whose booked figures the target alone had, and lost: with a file that is gone or damaged. */
export function describeLostDays(account: string, days: readonly string[]): Finding[] {
  if (days.length === 0) return [];
  const message = `account ${account}: the target had other figures of booked days, in files that are gone or damaged; it has those of the warehouse now: ${listDays(days)}`;
  return [{ kind: 'booked_differs', message }];
}

const listDays = (days: readonly string[]): string =>
  days.slice(0, 5).join(', ') + (days.length > 5 ? ` and ${days.length - 5} more` : '');

/** An account of which the target has rows, and that the warehouse no longer has under that name. */
export const describeLeftBehind = (account: string, target: string): Finding => ({
  kind: 'left_behind',
  message: `account ${account} is no longer in this warehouse (renamed, moved or forgotten); its rows stay in the target until vodhouse publish --target ${target} --rebuild ${account}`,
});

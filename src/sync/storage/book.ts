/** The storage statistics of one account: today live, past days booked once, holes asked for again. */
import type { DayCounts } from '../../warehouse/days.ts';
import type { StorageRules, SyncAccount, SyncParts } from '../account.ts';
import { createRunDay, currentRange, holeRanges, isFirstOfDay, type DayRange } from './ranges.ts';
import { sortDays } from './sort.ts';

export interface StorageOrder {
  account: SyncAccount;
  rules: StorageRules;
  runId: number;
  /** The run's one look at the clock, in milliseconds since 1970. */
  now: number;
  signal: AbortSignal;
}

/** What booking came to. */
export interface StorageOutcome extends DayCounts {
  account: string;
  /** False where the service told no figures of today. */
  live: boolean;
}

/** Asks for the current days, then for older holes; each answer is stored before the next is asked for. */
export async function bookStorage(parts: SyncParts, order: StorageOrder): Promise<StorageOutcome> {
  const { account, rules } = order;
  const known = await parts.warehouse.knownDays(account.name, rules.since ?? '');
  const day = createRunDay(parts.calendar, order.now, rules, known);
  const current = currentRange(day, known, rules, isFirstOfDay(day, known));
  const outcome = {
    account: account.name,
    live: false,
    booked: 0,
    discrepancies: 0,
    missed: 0,
    quarantined: 0,
  };
  for (const range of [current, ...holeRanges(parts.calendar, day, known, current)]) {
    const answer = await ask(order, range);
    const sorted = sortDays(answer, range, day, known, rules.giveUpDays);
    add(outcome, await parts.warehouse.storeDays({ account: account.name, ...sorted }));
    outcome.live ||= sorted.live !== null;
  }
  if (!outcome.live)
    parts.logger.warn({ account: account.name }, `the service told no storage figures of ${day.today}`);
  return outcome;
}

function ask({ account, runId, signal }: StorageOrder, range: DayRange) {
  signal.throwIfAborted();
  return account.client.storageDays({ ...range, purpose: 'storage', runId, signal });
}

function add(sum: DayCounts, more: DayCounts): void {
  for (const name of Object.keys(more) as (keyof DayCounts)[]) sum[name] += more[name];
}

/** The storage statistics of one account: today live, past days booked once, holes asked for again. */
import { daysBetween } from '../../lib/calendar.ts';
import { addDays } from '../../lib/days.ts';
import { RefusedError } from '../../lib/errors.ts';
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
  const fill = async (range: DayRange, answer: Answer): Promise<void> => {
    const sorted = sortDays(answer, range, day, known, rules.giveUpDays);
    add(outcome, await parts.warehouse.storeDays({ account: account.name, ...sorted }));
    outcome.live ||= sorted.live !== null;
  };
  await fill(current, await ask(order, current));
  await fillHoles(parts, order, holeRanges(parts.calendar, day, known, current), fill);
  if (!outcome.live)
    parts.logger.warn({ account: account.name }, `the service told no storage figures of ${day.today}`);
  return outcome;
}

type Answer = Awaited<ReturnType<typeof ask>>;
type Fill = (range: DayRange, answer: Answer) => Promise<void>;

/** Newest first. Once a range is refused to its newest day, the older ones are not asked for today: they are gaps. */
async function fillHoles(
  parts: SyncParts,
  order: StorageOrder,
  ranges: readonly DayRange[],
  fill: Fill,
): Promise<void> {
  let isServed = true;
  for (const range of ranges) {
    if (isServed) isServed = await fillHole(parts, order, range, fill);
    else await fill(range, nothing(parts));
  }
}

/**
 * A refused range is asked for in halves, the newer one first: how long a range may be, and how far back, is not shown
 * (service.md 4.2). Gives false where nothing of it was served.
 */
async function fillHole(
  parts: SyncParts,
  order: StorageOrder,
  range: DayRange,
  fill: Fill,
): Promise<boolean> {
  try {
    await fill(range, await ask(order, range));
    return true;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const length = daysBetween(range.from, range.to);
    if (length === 0) {
      parts.logger.warn({ account: order.account.name }, error.message);
      await fill(range, nothing(parts));
      return false;
    }
    const middle = addDays(range.from, Math.ceil(length / 2));
    const isServed = await fillHole(parts, order, { from: middle, to: range.to }, fill);
    const older = { from: range.from, to: addDays(middle, -1) };
    if (isServed) await fillHole(parts, order, older, fill);
    else await fill(older, nothing(parts));
    return isServed;
  }
}

/** The answer of a service that serves none of the days. */
function nothing(parts: SyncParts): Answer {
  return { records: [], raw: () => '', clean: (text) => text, answeredAt: parts.clock.now() };
}

function ask({ account, runId, signal }: StorageOrder, range: DayRange) {
  signal.throwIfAborted();
  return account.client.storageDays({ ...range, purpose: 'storage', runId, signal });
}

function add(sum: DayCounts, more: DayCounts): void {
  for (const name of Object.keys(more) as (keyof DayCounts)[]) sum[name] += more[name];
}

import { createCalendar } from '../../src/lib/calendar.ts';
import type { SortContext } from '../../src/sync/storage/sort.ts';
import { knownDays } from './known-days.ts';

/** A run on 2026-03-10 in Seoul that is to be trusted, knows nothing, and asked for ten days; but for what is given. */
export function sortContext(given: Partial<SortContext> & { now: number }): SortContext {
  const { now, ...context } = given;
  return {
    range: { from: '2026-03-01', to: '2026-03-10' },
    day: { today: '2026-03-10', settled: '2026-03-08', since: '2026-03-02', now },
    known: knownDays(),
    rules: { settleMs: 3_600_000, giveUpDays: 7, optional: [], plausibleFactor: 2 },
    calendar: createCalendar('Asia/Seoul'),
    trust: { mayBook: true, mayGiveUp: true, differenceMs: 0 },
    newestServed: null,
    gapsFrom: '2026-03-02',
    ...context,
  };
}

import type { Clock } from '../../src/lib/clock.ts';
import type { Budget, RequestNote, RequestResult, Restriction } from '../../src/service/client/budget.ts';

/** One request as the budget was told of it. */
export interface Spent {
  note: RequestNote;
  /** When it was admitted, by the clock. */
  at: number;
  /** What came of it; null before its answer. */
  result: RequestResult | null;
  /** The sign of restriction that its answer was; null where it was none. */
  restriction: Restriction | null;
}

/** A budget without limits that remembers what was spent. */
export interface OpenBudget extends Budget {
  spent: Spent[];
}

export function createOpenBudget(clock: Clock): OpenBudget {
  const spent: Spent[] = [];
  return {
    spent,
    admit: async (note, signal) => {
      signal?.throwIfAborted();
      const entry: Spent = { note, at: clock.now(), result: null, restriction: null };
      spent.push(entry);
      return {
        answered: ({ status, bytes, sent }) => {
          if (entry.result) throw new Error('a request is settled once');
          entry.result = { status, bytes, sent };
        },
        restricted: (restriction) => {
          entry.restriction = restriction;
        },
      };
    },
  };
}

/** Random histories of a ledger, as two open files see it: incremental counts compared with the rows. */
import { join } from 'node:path';
import fc from 'fast-check';
import type { Limits } from '../../../src/budget/budget.ts';
import type { Admission } from '../../../src/lib/request-budget.ts';
import { openLedgerConnection } from '../../../src/database/connection.ts';
import { transact } from '../../../src/database/transaction.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { createWindowCounts, WINDOWS } from '../../../src/budget/windows.ts';
import { execute } from '../fixtures/live-file.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { createVirtualClock, toMs } from '../clocks/virtual-clock.ts';
/** A response may be later than any deadline, because a machine slept. But not by a day. */
const LATEST_MS = 3_600_000;
const OFF: Limits = { perSecond: null, perMinute: null, perDay: null, maxWaitMs: 0 };

/** One event. `process` selects the budget; `which` selects an existing row. */
export type Step =
  | { kind: 'admit'; process: number; account: 'main' | 'other'; deadlineMs: number }
  | { kind: 'settle'; which: number; result: 'answered' | 'lost' | 'unsent' }
  | { kind: 'pass'; ms: number }
  | { kind: 'back'; ms: number }
  | { kind: 'read' }
  | { kind: 'recount' }
  | { kind: 'delete'; which: number };

const duration = fc.oneof(
  { weight: 3, arbitrary: fc.nat(2_000) },
  { weight: 2, arbitrary: fc.nat(100_000) },
  { weight: 1, arbitrary: fc.nat(2 * DAY_MS) },
  { weight: 3, arbitrary: fc.constantFrom(1, 999, 1_000, 1_001, 30_000, 59_999, 60_000, DAY_MS) },
);

const admit: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('admit'),
  process: fc.nat(1),
  account: fc.constantFrom('main', 'main', 'main', 'other'),
  deadlineMs: fc.constantFrom(1_000, 30_000, 90_000),
});
const settle: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('settle'),
  which: fc.nat(),
  result: fc.constantFrom('answered', 'answered', 'lost', 'unsent'),
});
const pass: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('pass'), ms: duration });
const back: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('back'), ms: duration });
const read: fc.Arbitrary<Step> = fc.constant({ kind: 'read' });
const recount: fc.Arbitrary<Step> = fc.constant({ kind: 'recount' });
const remove: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('delete'), which: fc.nat() });

function history(...others: fc.Arbitrary<Step>[]) {
  const usual = [admit, settle, pass].map((arbitrary) => ({ weight: 4, arbitrary }));
  const rare = others.map((arbitrary) => ({ weight: 1, arbitrary }));
  return fc.array(fc.oneof(...usual, ...rare), { maxLength: 60, size: 'max' });
}

/** No rows are deleted from the ledger by hand. */
export const orderlyHistory = history(back);
/** Queries are rare, rows are deleted by hand, and the clock goes back. */
export const anyHistory = history(back, read, recount, remove);

/** The counts and the actual rows, by window. */
export interface WindowCounts {
  carried: number[];
  exact: number[];
}

/** Runs the steps; the caller queries at any time. */
export function createHistory() {
  const clock = createVirtualClock(toMs('2026-03-01T12:00Z'));
  const path = join(temporaryFolder(), 'live.db');
  const processes = [openWarehouse(path, clock), openWarehouse(path, clock)];
  const db = openLedgerConnection(path);
  const counts = createWindowCounts(db, 'main');
  const underWay: { admission: Admission; at: number }[] = [];

  const countSince = db.$client
    .prepare("select count(*) from request where account = 'main' and spent_until_ms > ?")
    .pluck();
  const exact = () => WINDOWS.map(({ ms }) => Number(countSince.get(clock.now() - ms)));

  async function admitted({ process, account, deadlineMs }: Step & { kind: 'admit' }): Promise<void> {
    const entry = { purpose: 'page', packageId: 1, page: 1, runId: null, deadlineMs } as const;
    const budget = processes[process]?.createBudget(account, OFF);
    if (budget) underWay.push({ admission: await budget.admit(entry), at: clock.now() });
  }

  function settled({ which, result }: Step & { kind: 'settle' }): void {
    const [one] = underWay.splice(which % Math.max(1, underWay.length), 1);
    const status = result === 'answered' ? 200 : null;
    if (!one || Math.abs(clock.now() - one.at) > LATEST_MS) return;
    one.admission.answered({ status, bytes: null, sent: result !== 'unsent' });
  }

  function removed({ which }: Step & { kind: 'delete' }): void {
    execute(
      path,
      `delete from request where request_id = (select request_id from request limit 1
       offset ${which} % max(1, (select count(*) from request)))`,
    );
  }

  return {
    play: async (step: Step): Promise<void> => {
      if (step.kind === 'admit') await admitted(step);
      if (step.kind === 'settle') settled(step);
      if (step.kind === 'pass') clock.advance(step.ms);
      if (step.kind === 'back') clock.advance(-step.ms);
      if (step.kind === 'delete') removed(step);
    },
    /** Queries as `admit` does before it admits. */
    read: (): WindowCounts => {
      const carried = transact(db, () => WINDOWS.map((window) => counts.used(window, clock.now())));
      return { carried, exact: exact() };
    },
    /** Queries as `admit` does before it rejects; then once more. */
    recount: (): { recounted: WindowCounts; after: WindowCounts } => {
      const now = clock.now();
      const all = () => WINDOWS.map((window) => counts.used(window, now));
      const [recounted, used] = transact(db, () => {
        all();
        return [WINDOWS.map((window) => counts.recount(window, now)), all()] as const;
      });
      const actual = exact();
      return {
        recounted: { carried: recounted, exact: actual },
        after: { carried: used, exact: actual },
      };
    },
    close: () => {
      db.$client.close();
      for (const process of processes) process.close();
    },
  };
}

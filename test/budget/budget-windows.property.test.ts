/**
 * Simulates several processes that use the budget of one account: each has separate connections to one live
 * file, some are killed and restarted. The result is when each request may have reached the service.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../support/rounds.ts';
import { ParkedError } from '../../src/lib/errors.ts';
import type { Limits } from '../../src/budget/budget.ts';
import type { Admission } from '../../src/budget/request-budget.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/warehouse.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { createTimeline, type Timeline } from '../support/clocks/virtual-clock.ts';
import type { ValueOf } from '../support/models/steps.ts';

/** The possible duration of a request of each process, in milliseconds. */
const DEADLINES_MS = [30_000, 1_000];
const LONGEST_MS = Math.max(...DEADLINES_MS);

/** The result of an arrival; a restriction was received at `until`. */
type Fate =
  | { kind: 'seen'; from: number; until: number; restriction?: { waitMs: number | null } }
  | { kind: 'unseen' }
  | { kind: 'parked'; requestedAt: number; untilMs: number };

const limit = (most: number) => fc.option(fc.integer({ min: 1, max: most }), { nil: null, freq: 3 });

/** One request: its process, its time, and its result. */
const arrival = fc.record({
  process: fc.nat(DEADLINES_MS.length - 1),
  /** Milliseconds after the previous arrival. */
  afterMs: fc.oneof(
    { weight: 6, arbitrary: fc.nat(300) },
    { weight: 2, arbitrary: fc.nat(5_000) },
    { weight: 2, arbitrary: fc.nat(70_000) },
    { weight: 1, arbitrary: fc.nat(DAY_MS) },
    { weight: 2, arbitrary: fc.constantFrom(999, 1_000, 1_001, 59_999, 60_000, 60_001) },
    { weight: 1, arbitrary: fc.integer({ min: DAY_MS - 60_000, max: DAY_MS + 1 }) },
  ),
  latencyMs: fc.oneof({ weight: 4, arbitrary: fc.nat(400) }, { weight: 1, arbitrary: fc.nat(LONGEST_MS) }),
  /**
   * `lost`: sent, no response. `unsent`: no connection was made. `killed`: its process dies before it ends.
   * `restricted`: the response demands a wait of `waitMs`, or of no given time.
   */
  fate: fc.oneof(
    { weight: 6, arbitrary: fc.constant('answered') },
    { weight: 6, arbitrary: fc.constantFrom('lost', 'unsent', 'killed') },
    { weight: 3, arbitrary: fc.constant('restricted') },
  ),
  waitMs: fc.oneof(
    fc.constant(null),
    fc.nat(5_000),
    fc.nat(120_000),
    fc.integer({ min: 60_000, max: 900_000 }),
  ),
});
type Arrival = ValueOf<typeof arrival>;

const scenario = fc.record({
  limits: fc.record({
    perSecond: limit(4),
    perMinute: limit(12),
    perDay: limit(20),
    maxWaitMs: fc.oneof(fc.constant(0), fc.nat(5_000), fc.nat(90_000), fc.nat(1_000_000)),
  }),
  arrivals: fc.array(arrival, { maxLength: 40 }),
});
type Scenario = ValueOf<typeof scenario>;

/** Runs the scenario to its end. */
async function runBudgetScenario({ limits, arrivals }: Scenario): Promise<Fate[]> {
  const timeline = createTimeline('2026-03-01T12:00Z');
  const path = join(temporaryFolder(), 'live.db');
  const processes = DEADLINES_MS.map((deadlineMs) => createProcess(path, limits, timeline, deadlineMs));
  let at = 0;
  const fates = arrivals.map((each) => {
    at += each.afterMs;
    const process = processes[each.process];
    if (!process) throw new RangeError(`there is no process ${each.process}`);
    return live(process, each, at, timeline);
  });
  await timeline.run();
  for (const process of processes) process.close();
  return Promise.all(fates);
}

function createProcess(path: string, limits: Limits, timeline: Timeline, deadlineMs: number) {
  let life = 0;
  let warehouse: Warehouse = openWarehouse(path, timeline);
  let budget = warehouse.createBudget('main', limits);
  let ending = new AbortController();
  return {
    admit: () => {
      const entry = { purpose: 'page', packageId: 1, page: 1, runId: null, deadlineMs } as const;
      return budget.admit(entry, ending.signal);
    },
    deadlineMs,
    life: () => life,
    /** The process dies immediately, with all its waiting and sent requests, and restarts. */
    kill: () => {
      life++;
      ending.abort(new Error('killed'));
      warehouse.close();
      warehouse = openWarehouse(path, timeline);
      budget = warehouse.createBudget('main', limits);
      ending = new AbortController();
    },
    close: () => warehouse.close(),
  };
}

async function live(
  process: ReturnType<typeof createProcess>,
  each: Arrival,
  at: number,
  timeline: Timeline,
): Promise<Fate> {
  const { fate } = each;
  const latencyMs = Math.min(each.latencyMs, process.deadlineMs);
  await timeline.sleep(at);
  const requestedAt = timeline.now();
  const life = process.life();
  try {
    const admission = await process.admit();
    const from = timeline.now();
    await timeline.sleep(latencyMs);
    if (fate === 'killed' && process.life() === life) process.kill();
    if (process.life() !== life) return { kind: 'seen', from, until: from + process.deadlineMs };
    return settle(admission, each, from, { now: timeline.now(), deadlineMs: process.deadlineMs });
  } catch (error) {
    if (error instanceof ParkedError) return { kind: 'parked', requestedAt, untilMs: error.untilMs };
    if (process.life() !== life) return { kind: 'unseen' };
    throw error;
  }
}

/** Reports the result of a request of a running process to the budget. */
function settle(
  admission: Admission,
  { fate, waitMs }: Arrival,
  from: number,
  { now, deadlineMs }: { now: number; deadlineMs: number },
): Fate {
  const status = { answered: 200, restricted: 429, lost: null, unsent: null, killed: null }[fate];
  const restriction = fate === 'restricted' ? { waitMs, reason: 'too much', served: false } : null;
  admission.answered({ status, bytes: null, sent: fate !== 'unsent' }, restriction);
  if (fate === 'unsent') return { kind: 'unseen' };
  if (status === null) return { kind: 'seen', from, until: from + deadlineMs };
  if (fate === 'answered') return { kind: 'seen', from, until: now };
  return { kind: 'seen', from, until: now, restriction: { waitMs } };
}

/**
 * The largest number of requests that any window of this length may have contained at the service: each may
 * have arrived at any moment from when it was sent until its response (or its deadline).
 */
function mostWithin(fates: readonly Fate[], windowMs: number): number {
  const seen = fates.filter((fate) => fate.kind === 'seen');
  const counts = seen.map(
    ({ from: end }) => seen.filter(({ from, until }) => from <= end && until > end - windowMs).length,
  );
  return Math.max(0, ...counts);
}

/** The shortest pause of a restriction without a time, in milliseconds. */
const LEAST_PAUSE_MS = 30_000;

/**
 * The number of requests that were admitted during a pause: from when the restriction was recorded until its
 * given time; or for half a minute where it had none, and the request was not in flight since before another
 * pause.
 */
function admittedInPauses(fates: readonly Fate[]): number {
  const seen = fates.filter((fate) => fate.kind === 'seen').sort((one, other) => one.until - other.until);
  const pauses: { at: number; end: number }[] = [];
  for (const { from, until: at, restriction } of seen) {
    if (!restriction) continue;
    const isSame = pauses.some(({ end }) => end > from);
    pauses.push({ at, end: at + (restriction.waitMs || (isSame ? 0 : LEAST_PAUSE_MS)) });
  }
  return seen.filter(({ from }) => pauses.some(({ at, end }) => from > at && from < end)).length;
}

/** The violations in the results, as texts; empty if there is none. */
function breaches({ limits }: Scenario, fates: readonly Fate[]): string[] {
  const windows = [
    ['second', 1_000, limits.perSecond],
    ['minute', 60_000, limits.perMinute],
    ['day', DAY_MS, limits.perDay],
  ] as const;
  const windowViolations = windows.flatMap(([name, ms, most]) => {
    const found = mostWithin(fates, ms);
    return most !== null && found > most ? [`${found} requests in a ${name}, ${most} allowed`] : [];
  });
  const pauseViolations = fates.filter(
    (fate) => fate.kind === 'parked' && fate.untilMs <= fate.requestedAt + limits.maxWaitMs,
  );
  const disobedient = admittedInPauses(fates);
  const ignoredPauses = disobedient > 0 ? [`${disobedient} requests were admitted during a pause`] : [];
  return [
    ...windowViolations,
    ...ignoredPauses,
    ...pauseViolations.map(() => 'parked although the wait was short enough'),
  ];
}

describe('the windows of the budget', () => {
  it('never exceed a limit as the service counts, whatever arrives, fails or crashes', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (each) => {
        expect(breaches(each, await runBudgetScenario(each))).toEqual([]);
      }),
      { numRuns: rounds(1000) },
    );
  }, 1_200_000);
});

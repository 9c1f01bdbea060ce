/**
 * Simulates the scheduling of one account over weeks: when a run begins, which package is served, what the
 * budget admits. The real code decides the slots of a run, what is due and when a run is preempted; walks
 * are numbers.
 */
import { fromTimestamp, toTimestamp, MINUTE_MS, DAY_MS } from '../../../src/lib/clock.ts';
import { PreemptedError, ParkedError, TransientError } from '../../../src/lib/errors.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { createPreemption, findDue, type Due, type LastRun } from '../../../src/app/due.ts';
import { interleaveFailed } from '../../../src/sync/sync-account.ts';
import { createCircuitBreaker, type StreamsOutcome } from '../../../src/sync/circuit-breaker.ts';
import { runFairly, FAIRNESS, type Slot } from '../../../src/sync/fair-queue.ts';
import { createSlidingBudget, type SlidingBudget, type SlidingLimits } from './fairness-budget.ts';
import { createAges, type Ages, type Figures } from './fairness-figures.ts';
import { nextTick } from '../../../src/lib/cron-ticks.ts';

export interface FairnessOptions {
  /** Pages of each package. */
  sizes: readonly number[];
  limits: SlidingLimits;
  /** When full runs begin, as a cron expression. */
  full: string;
  days: number;
  /** Chance of a walk to fail somewhere on its way. */
  faults: number;
  seed: number;
}

interface SimulatedPackage {
  id: number;
  pages: number;
  /** Stored pages of its walk: it resumes there. */
  read: number;
  /** Start of that walk, in milliseconds since 1970. */
  originMs: number;
  turnWalkId: number;
  failedWalks: number;
  /** Start of the run (or of the first that it resumed) in which it had its last turn. */
  servedIn: string | null;
}

interface World {
  options: FairnessOptions;
  clock: { now: number };
  packages: SimulatedPackage[];
  budget: SlidingBudget;
  ages: Ages;
  random: () => number;
  walks: number;
  /** The newest full run, and the last run: the same one is not repeated immediately. */
  last: LastRun | null;
  lastRun: Due | null;
}

const START_MS = Date.parse('2026-03-10T12:00:00Z');
/** As in the initial config: packages at a time, and how old a walk may be that is resumed. */
const CONCURRENCY = 4;
const RESUME_WITHIN_MS = 7 * DAY_MS;
/** The cost of a request that fails repeatedly. */
const ATTEMPTS = 5;

const logger = createLogger({ level: 'silent', format: 'json', secrets: [] });

/** Runs a worker for the account for some days, and returns its figures. */
export async function simulateFairness(options: FairnessOptions): Promise<Figures> {
  const clock = { now: START_MS };
  const packages = options.sizes.map((pages, index) => createPackage(index + 1, pages));
  const budget = createSlidingBudget(options.limits, clock);
  const ages = createAges(options.sizes.length, clock);
  const random = createRandom(options.seed);
  const world: World = {
    options,
    clock,
    packages,
    budget,
    ages,
    random,
    walks: 0,
    last: null,
    lastRun: null,
  };
  const end = START_MS + options.days * DAY_MS;
  while (clock.now < end) await checkDue(world);
  return ages.figures(budget.requests());
}

function createPackage(id: number, pages: number): SimulatedPackage {
  return { id, pages, read: 0, originMs: 0, turnWalkId: 0, failedWalks: 0, servedIn: null };
}

/** The worker checks every minute, and after each run; minutes in which nothing can be due are skipped. */
async function checkDue(world: World): Promise<void> {
  const { clock, options } = world;
  const schedule = { full: options.full, quick: null };
  const due = findDue(schedule, clock.now, { full: world.last, quick: null });
  const isAgain = due !== null && due.resumesFrom === world.lastRun?.resumesFrom;
  world.lastRun = isAgain ? null : due;
  if (due && !isAgain) {
    await run(world, due);
    return;
  }
  const resumeAt = world.last?.resumeAt ? fromTimestamp(world.last.resumeAt) : Number.POSITIVE_INFINITY;
  const earliest = Math.min(nextTick(options.full, clock.now), resumeAt);
  const next = Math.ceil(earliest / MINUTE_MS) * MINUTE_MS;
  clock.now = Math.max(next, (Math.floor(clock.now / MINUTE_MS) + 1) * MINUTE_MS);
}

async function run(world: World, { mode, resumesFrom }: Due): Promise<void> {
  const { clock, packages, options } = world;
  const origin = resumesFrom ?? toTimestamp(clock.now);
  const schedule = { full: options.full, quick: null };
  const reasonAt = createPreemption(schedule, { mode, startedAt: clock.now, quickTookMs: 0 });
  const guard = createCircuitBreaker(logger, 'main', 1);
  const stopReason = () => {
    const reason = guard.getOpenReason() ? null : reasonAt(clock.now);
    return reason === null
      ? guard.getOpenReason()
      : new PreemptedError(reason, Math.floor(clock.now / 1000) * 1000);
  };
  packages.sort((one, other) => one.turnWalkId - other.turnWalkId || one.id - other.id);
  const waiting = inOrder(
    packages.filter(({ servedIn }) => resumesFrom === null || servedIn !== resumesFrom),
  );
  await runFairly(waiting, { ...FAIRNESS, concurrency: CONCURRENCY, stopReason }, (one, turn) =>
    guard.run(one.id, () => {
      turn.begin();
      return walk(world, one, turn, origin);
    }),
  );
  world.last = { startedAt: origin, runId: world.walks, resumeAt: resumeAt(guard.getOutcome()) };
}

function inOrder(packages: readonly SimulatedPackage[]): SimulatedPackage[] {
  const byId = new Map(packages.map((one) => [one.id, one]));
  const order = interleaveFailed(
    packages.map(({ id, failedWalks }) => ({ id, failedBefore: failedWalks > 0 })),
  );
  return order.flatMap((id) => byId.get(id) ?? []);
}

/** The rule of src/sync/run.ts for when a run may be resumed. */
function resumeAt({ failures }: StreamsOutcome): string | null {
  const moments = failures.flatMap(({ untilMs }) => untilMs ?? []);
  if (moments.length === 0) return null;
  return toTimestamp(Math.ceil(Math.min(...moments) / 1000) * 1000);
}

async function walk(world: World, one: SimulatedPackage, turn: Slot, origin: string): Promise<void> {
  const { ages } = world;
  const walkId = ++world.walks;
  setOut(world, one);
  const failsAfter =
    world.random() < world.options.faults ? world.random() * (one.pages - one.read) : Infinity;
  const faultyPage = one.read + Math.floor(failsAfter);
  for (;;) {
    if (one.read === faultyPage) await fail(world, one, walkId, origin);
    await sendRequest(world);
    turn.answered();
    one.read++;
    const isTurnOver = turn.pageRead();
    if (one.read >= one.pages) break;
    if (isTurnOver) await turn.nextSlot();
  }
  ages.walked(one.id);
  one.read = 0;
  recordServed(one, walkId, false);
  one.servedIn = origin;
}

/**
 * A walk that resumes reads its last page again; one that is too old starts from scratch, and its pages are
 * lost.
 */
function setOut({ clock, ages }: World, one: SimulatedPackage): void {
  if (one.read > 0 && one.originMs < clock.now - RESUME_WITHIN_MS) {
    ages.waste(one.read);
    one.read = 0;
  }
  if (one.read === 0) one.originMs = clock.now;
  else {
    one.read--;
    ages.waste(1);
  }
}

async function fail(world: World, one: SimulatedPackage, walkId: number, origin: string): Promise<never> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await sendRequest(world);
    world.ages.waste(1);
  }
  world.ages.failed(one.id);
  recordServed(one, walkId, true);
  one.servedIn = origin;
  throw new TransientError('it answered 500', { fault: 'status', status: 500 });
}

/** The rule of notePackageServed in src/warehouse/statements/package.ts. */
function recordServed(one: SimulatedPackage, walkId: number, failed: boolean): void {
  if (!failed || one.failedWalks % 2 === 1) one.turnWalkId = walkId;
  one.failedWalks = failed ? one.failedWalks + 1 : 0;
}

/** Throws ParkedError where the budget has no slot soon enough. */
async function sendRequest({ budget }: World): Promise<void> {
  const freeAt = budget.admit();
  if (freeAt !== null) throw new ParkedError('the budget is spent', freeAt);
  await Promise.resolve();
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Runs the streams of one account: a failure stops no other stream, unless it concerns the whole account. */
import type { FailureKind } from '../database/schema/runs.ts';
import {
  errorMessage,
  InterruptedError,
  ParkedError,
  PreemptedError,
  RefusedError,
  TransientError,
  VodhouseError,
  WarehouseError,
  type Hint,
} from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import type { AccountStream, Stream, StreamName } from './streams.ts';
import type { RunFailure } from '../warehouse/statements/run.ts';
import type { Slot } from './fair-queue.ts';

/** Something that a run could not do. */
export interface Failure extends RunFailure {
  hint: Hint | undefined;
  /**
   * When it may continue, in milliseconds since 1970, if it is only deferred: the budget or the service
   * asked to wait, or another run is due. Null if it has failed.
   */
  untilMs: number | null;
}

/** Results of all streams of an account. */
export interface StreamsOutcome {
  failures: Failure[];
  /** Completed streams, and how many of them are packages. */
  done: number;
  packagesDone: number;
  interrupted: boolean;
}

type StreamOfAccount = Pick<Stream, 'stream' | 'packageId'>;

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/**
 * After the same refusal of this many packages in a row, the account is stopped: a wrong key must not cost
 * 10,000 requests.
 */
const MAX_REFUSALS = 3;
/** The limit for the same transient failure, after which each package has used all its attempts. */
const MAX_SAME_FAILURES = 10;
/** The limit for requests that are refused or not answered, until a package is served. */
const MAX_AT_FIRST = 2;

interface Stop {
  reason: string;
  /** When the streams may continue, in milliseconds since 1970; null if they are not only deferred. */
  untilMs: number | null;
}

interface AccountInRun {
  readonly account: string;
  readonly runId: number;
  readonly logger: Logger;
  /** The kinds of streams that gave no answer in the last run. */
  readonly silent: ReadonlySet<StreamName>;
}

interface State extends AccountInRun, StreamsOutcome {
  /** A package was served in this run. */
  isServed: boolean;
  /** The file cannot be used: ends the run. */
  fatal: WarehouseError | null;
  stop: Stop | null;
  /** Streams skipped since the stop. */
  skipped: number;
  /** Packages that failed in the same way, one after the other. */
  consecutive: { reason: string; count: number };
}

/** Creates the circuit breaker of one account for one run. */
export function createCircuitBreaker(account: AccountInRun) {
  const state: State = {
    ...account,
    failures: [],
    done: 0,
    packagesDone: 0,
    interrupted: false,
    isServed: false,
    fatal: null,
    stop: null,
    skipped: 0,
    consecutive: { reason: '', count: 0 },
  };
  return {
    /** Runs one stream, unless the account is stopped. */
    run: (stream: StreamOfAccount, work: () => Promise<void>) => runStream(state, stream, work),
    /** Why the account is stopped, or null. A walk that throws it is deferred, not failed. */
    getOpenReason: () =>
      state.stop && new ParkedError(`skipped: ${state.stop.reason}`, state.stop.untilMs ?? 0),
    /** The service has answered for a package. */
    answered: () => void (state.isServed = true),
    /**
     * Has something failed before any package was served? Then the next package shows whether the account is
     * dead.
     */
    isInDoubt: () => !state.isServed && state.consecutive.count > 0,
    /** `RequestContext.beforeRetry` for a stream that the account has once. */
    beforeRetry: async (stream: AccountStream, failure: unknown) => assertMayRepeat(state, stream, failure),
    /** `RequestContext.beforeRetry` for a page of a package. */
    beforePageRetry: (slot: Slot, failure: unknown, page: number) =>
      waitToRepeatPage(state, slot, failure, page),
    /** The results so far. Throws the error that ends the run, if there is one. */
    getOutcome: (): StreamsOutcome => {
      const { account, failures, done, packagesDone, interrupted, fatal, stop, skipped } = state;
      if (fatal) throw fatal;
      const rest = stop && skipped > 0 ? [createSkippedFailure(account, stop, skipped)] : [];
      return { failures: [...failures, ...rest], done, packagesDone, interrupted };
    },
  };
}

async function runStream(state: State, stream: StreamOfAccount, work: () => Promise<void>): Promise<void> {
  if (state.interrupted || state.fatal) return;
  if (state.stop) {
    state.skipped++;
    return;
  }
  try {
    await work();
    state.done++;
    if (stream.packageId !== null) state.packagesDone++;
    state.consecutive = { reason: '', count: 0 };
  } catch (error) {
    recordError(state, stream, error);
  }
}

/**
 * Allows one more request after a failure without an answer, unless a request before it or in the last run
 * got none either: then throws the failure.
 */
function assertMayRepeat(state: State, stream: AccountStream, failure: unknown): void {
  if (!isUnanswered(failure)) return;
  if (state.consecutive.count > 0 || state.silent.has(stream)) throw failure;
  if (!state.isServed) countConsecutive(state, failure);
}

/**
 * Waits until the request of a package may be repeated; throws if it may not. Before a package is served, it
 * is unknown whether a failure concerns the package or the account, so the next package is requested first.
 * If that fails in the same way, the account is stopped.
 */
async function waitToRepeatPage(state: State, slot: Slot, failure: unknown, page: number): Promise<void> {
  const isRefused = failure instanceof RefusedError;
  if (state.isServed || !(isRefused || isUnanswered(failure))) return;
  const mayBeBeyondEnd = isRefused && page > 1;
  if (mayBeBeyondEnd && getRepeatLimit(state, failure)[0] !== state.consecutive.reason) throw failure;
  countConsecutive(state, failure);
  if (state.stop) throw mayBeBeyondEnd ? new ParkedError(state.stop.reason, 0) : failure;
  await slot.nextSlot().catch((deferral: unknown) => {
    throw state.stop?.untilMs === null ? failure : deferral;
  });
}

/** A package that is deferred after the stop keeps its checkpoint and its place in the queue. */
function recordError(state: State, stream: StreamOfAccount, error: unknown): void {
  if (state.stop && stream.packageId !== null && error instanceof ParkedError) state.skipped++;
  else if (error instanceof InterruptedError) state.interrupted = true;
  else if (error instanceof WarehouseError) state.fatal ??= error;
  else recordFailure(state, stream, error);
}

function recordFailure(state: State, { stream, packageId }: StreamOfAccount, error: unknown): void {
  const { account, runId, logger } = state;
  const untilMs = error instanceof ParkedError ? error.untilMs : null;
  const message = errorMessage(error);
  const hint = error instanceof VodhouseError ? error.hintParts : undefined;
  const kind = getKind(error);
  state.failures.push({ account, packageId, stream, kind, message, skipped: null, hint, untilMs });
  const level = error instanceof PreemptedError ? 'info' : untilMs === null ? 'error' : 'warn';
  const stack = kind === 'defect' && error instanceof Error ? { stack: error.stack } : {};
  const facts = { run_id: runId, account, package_id: packageId, stream, kind, error: message };
  logger[level]({ event: 'stream_failed', ...facts, ...stack }, message);
  if (untilMs !== null) state.stop ??= { reason: message, untilMs };
  if (packageId !== null) countConsecutive(state, error);
}

function countConsecutive(state: State, error: unknown): void {
  const [reason, max] = getRepeatLimit(state, error);
  const { consecutive } = state;
  state.consecutive = { reason, count: reason === consecutive.reason ? consecutive.count + 1 : 1 };
  if (state.consecutive.count < max) return;
  state.stop ??= { reason: max > 1 ? `${reason}, ${max} times in a row` : reason, untilMs: null };
}

function getKind(error: unknown): FailureKind {
  if (error instanceof TransientError || error instanceof RefusedError) return error.fault;
  if (error instanceof PreemptedError) return 'preempted';
  return error instanceof ParkedError ? 'parked' : 'defect';
}

/** Did no response come, or none that was complete in time? */
function isUnanswered(error: unknown): boolean {
  return ['connection', 'timeout'].includes(getKind(error));
}

/** How a failure is counted, and how many of them in a row stop the account. */
function getRepeatLimit({ isServed, silent }: State, error: unknown): [reason: string, max: number] {
  if (!isServed && isUnanswered(error)) return ['no answer', silent.has('videos') ? 1 : MAX_AT_FIRST];
  if (error instanceof TransientError) return [`failure (${error.status ?? error.fault})`, MAX_SAME_FAILURES];
  if (!(error instanceof RefusedError)) return ['defect', Number.POSITIVE_INFINITY];
  // a page of another package is no sign that the service refuses the account
  if (error.fault === 'foreign') return ['page of another package', Number.POSITIVE_INFINITY];
  return [`refusal (${error.code ?? error.status ?? error.fault})`, isServed ? MAX_REFUSALS : MAX_AT_FIRST];
}

function createSkippedFailure(account: string, { reason, untilMs }: Stop, skipped: number): Failure {
  const parked = untilMs !== null;
  const packages = skipped === 1 ? '1 package was' : `${skipped} packages were`;
  const result = parked ? 'put off; the next run resumes from here' : `not requested in this run: ${reason}`;
  return {
    account,
    packageId: null,
    stream: 'videos',
    untilMs,
    kind: parked ? 'parked' : 'skipped',
    message: `account ${account}: ${packages} ${result}`,
    skipped,
    hint: parked ? undefined : ['run ', { command: 'check' }, ' to see what works'],
  };
}

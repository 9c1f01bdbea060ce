/** Watches over the streams of one account in a run: what fails stops nothing else, but for what concerns them all. */
import { PreemptedError, InterruptedError, errorMessage, ParkedError, RefusedError } from '../lib/errors.ts';
import { TransientError, WarehouseError } from '../lib/errors.ts';
import type { FailureKind } from '../database/schema/runs.ts';
import type { Logger } from '../lib/logger.ts';

/** What could not be done. */
export interface Failure {
  account: string;
  /** The package; null for the storage, or for what concerns the whole account. */
  packageId: number | null;
  /** null where it concerns both. */
  stream: 'videos' | 'storage' | null;
  kind: FailureKind;
  message: string;
  hint: string | undefined;
  /** It was put off, not lost: the budget or the service asked to wait, or another run is due. */
  parked: boolean;
  /** From when on it may be asked for again, in milliseconds since 1970; null where it was not put off. */
  untilMs: number | null;
}

/** What the streams of an account came to. */
export interface StreamsOutcome {
  failures: Failure[];
  /** Streams (the storage, a package) that were done to their end, and how many of them are packages. */
  done: number;
  packagesDone: number;
  interrupted: boolean;
}

export interface CircuitBreaker {
  /** Does one stream, unless the account is stopped; `packageId` is null for the storage. */
  run(packageId: number | null, work: () => Promise<void>): Promise<void>;
  /** Why walks under way must not go on, or null: thrown at them it is no failure, they are put off. */
  openReason(): ParkedError | null;
  /** What came of it, once all is done. Throws what ends the run. */
  outcome(): StreamsOutcome;
}

/**
 * The same refusal from this many packages in a row is about the account: a wrong key must not cost ten thousand
 * requests.
 */
const SAME_REFUSALS = 3;
/** So is the same passing failure from this many: each has cost all its attempts. */
const SAME_FAILURES = 10;

interface Stopped {
  words: string;
  /** It is only put off, until then; null where it is not. */
  untilMs: number | null;
}

interface State extends StreamsOutcome {
  /** What ends the run: the file cannot be used. */
  fatal: WarehouseError | null;
  /** Why nothing more is asked for this account, and whether it is only put off. */
  stopped: Stopped | null;
  /** Streams that were left out since. */
  untried: number;
  /** The same failure of so many packages, one after the other. */
  inARow: { kind: string; count: number };
}

/** Nothing more is asked for this account: who waits for a turn keeps checkpoint and place. */
class StoppedError extends ParkedError {}

export function createCircuitBreaker(logger: Logger, account: string): CircuitBreaker {
  const state: State = {
    failures: [],
    done: 0,
    packagesDone: 0,
    interrupted: false,
    fatal: null,
    stopped: null,
    untried: 0,
    inARow: { kind: '', count: 0 },
  };
  return {
    run: async (packageId, work) => {
      if (state.interrupted || state.fatal) return;
      if (state.stopped) {
        state.untried++;
        return;
      }
      try {
        await work();
        state.done++;
        if (packageId === null) return;
        state.packagesDone++;
        state.inARow = { kind: '', count: 0 };
      } catch (error) {
        if (error instanceof StoppedError) state.untried++;
        else if (error instanceof InterruptedError) state.interrupted = true;
        else if (error instanceof WarehouseError) state.fatal ??= error;
        else note(state, logger, { account, packageId }, error);
      }
    },
    openReason: () => {
      const { stopped } = state;
      return stopped && new StoppedError(`not asked for: ${stopped.words}`, stopped.untilMs ?? 0);
    },
    outcome: () => {
      const { failures, done, packagesDone, interrupted, fatal, stopped, untried } = state;
      if (fatal) throw fatal;
      const rest = stopped && untried > 0 ? [leftOut(account, stopped, untried)] : [];
      return { failures: [...failures, ...rest], done, packagesDone, interrupted };
    },
  };
}

function note(
  state: State,
  logger: Logger,
  stream: { account: string; packageId: number | null },
  error: unknown,
): void {
  const message = errorMessage(error);
  const hint = error instanceof RefusedError ? error.hint : undefined;
  const untilMs = error instanceof ParkedError ? error.untilMs : null;
  if (untilMs !== null && state.stopped?.untilMs != null) {
    state.untried++; // it was put off with the others, for the reason that was told
    return;
  }
  const kind = failureKind(error);
  const name = stream.packageId === null ? 'storage' : 'videos';
  state.failures.push({ ...stream, stream: name, kind, message, hint, parked: untilMs !== null, untilMs });
  const level = error instanceof PreemptedError ? 'info' : untilMs === null ? 'error' : 'warn';
  logger[level]({ ...stream, ...unexpected(error) }, message);
  if (untilMs !== null) state.stopped ??= { words: message, untilMs };
  if (stream.packageId !== null) countInARow(state, error);
}

function countInARow(state: State, error: unknown): void {
  const [kind, most] = kindOf(error);
  state.inARow = { kind, count: kind === state.inARow.kind ? state.inARow.count + 1 : 1 };
  if (state.inARow.count < most) return;
  state.stopped ??= { words: `the same ${kind} from ${most} packages in a row`, untilMs: null };
}

function failureKind(error: unknown): FailureKind {
  if (error instanceof TransientError || error instanceof RefusedError) return error.fault;
  if (error instanceof PreemptedError) return 'preempted';
  return error instanceof ParkedError ? 'parked' : 'defect';
}

/** What a failure counts as, and how many of them in a row are about the account. */
function kindOf(error: unknown): [kind: string, most: number] {
  if (error instanceof RefusedError && error.fault === 'foreign') {
    return ['page of another package', Number.POSITIVE_INFINITY]; // the service answers, and the others must be served
  }
  if (error instanceof RefusedError) {
    return [`refusal (${error.code ?? error.status ?? error.fault})`, SAME_REFUSALS];
  }
  if (error instanceof TransientError) return [`failure (${error.status ?? error.fault})`, SAME_FAILURES];
  return ['defect', Number.POSITIVE_INFINITY];
}

function leftOut(account: string, { words, untilMs }: Stopped, untried: number): Failure {
  const left = untried === 1 ? '1 package was' : `${untried} packages were`;
  const parked = untilMs !== null;
  const message = parked
    ? `account ${account}: ${left} put off; the next run goes on where this one stopped`
    : `account ${account}: ${words}; ${left} not asked for in this run`;
  return {
    account,
    packageId: null,
    stream: 'videos',
    kind: parked ? 'parked' : 'skipped',
    message,
    hint: parked ? undefined : 'vodhouse check tells what works',
    parked,
    untilMs,
  };
}

/** The stack of what is not one of our own errors: it is a defect, and should be found. */
function unexpected(error: unknown): { stack?: string | undefined } {
  const isExpected =
    error instanceof TransientError || error instanceof RefusedError || error instanceof ParkedError;
  return !isExpected && error instanceof Error ? { stack: error.stack } : {};
}

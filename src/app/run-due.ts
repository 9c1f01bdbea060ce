/** Makes a run that the worker found due: when it gives way, and what it notifies. */
import { PINGED_ENDS, type Pings } from '../alerts/pings.ts';
import type { Config } from '../config/config.ts';
import { SECOND_MS, type Clock } from '../lib/clock.ts';
import { ParkedError, PreemptedError } from '../lib/errors.ts';
import type { RunSummary } from '../sync/run.ts';
import { createPreemption, type Due } from './due.ts';
import type { OwnSchedules } from './own-schedules.ts';
import type { Pipeline } from './pipeline.ts';
import { getLastDurationMs } from '../warehouse/statements/run.ts';

interface DueRunParts {
  config: Config;
  pipeline: Pipeline;
  clock: Clock;
  own: OwnSchedules;
  /** Null for no pings. */
  pings: Pings | null;
  /** Ends the run after the page in flight. */
  signal: AbortSignal;
  /** Ends the run between two packages, because another config is to be served. */
  replaced: AbortSignal;
}

/** Makes a run. Throws ParkedError where no account may send a request: such a run would only be parked. */
export async function runDue(
  { mode, trigger, resumesFrom, packages }: Due,
  { config, pipeline, clock, own, pings, signal, replaced }: DueRunParts,
): Promise<RunSummary> {
  assertNotParked(config, pipeline);
  const startedAt = clock.now();
  const quickTookMs = getLastDurationMs(pipeline.warehouse.db, 'quick');
  const preemption = createPreemption(config.schedule, { mode, startedAt, quickTookMs });
  const stopReason = () => {
    const now = clock.now();
    const reason = replaced.aborted ? 'the config was reloaded' : preemption(now);
    // rounded down, because the warehouse stores whole seconds, and the run may resume at once
    const untilMs = Math.floor(now / SECOND_MS) * SECOND_MS;
    return reason === null ? null : new PreemptedError(`the run gives way: ${reason}`, untilMs);
  };
  const scope = packages
    ? { packages, streams: ['videos' as const] }
    : { takesPart: mode === 'full' ? own.selectForFullRun(startedAt) : undefined };
  const onStarted = () => pings?.runStarted();
  const request = { mode, trigger, resumesFrom, stopReason, onStarted, signal, ...scope };
  try {
    const summary = await pipeline.run(request);
    pings?.runEnded(PINGED_ENDS[summary.status]);
    return summary;
  } catch (error) {
    pings?.runThrew(error);
    throw error;
  }
}

function assertNotParked(config: Config, { warehouse }: Pipeline): void {
  const reasons = config.accounts.map(({ name, limits }) => warehouse.createBudget(name, limits).whyParked());
  const [first] = reasons;
  if (!first || reasons.includes(null)) return;
  const untilMs = Math.min(...reasons.map((reason) => reason?.untilMs ?? 0));
  throw new ParkedError(first.message, untilMs);
}

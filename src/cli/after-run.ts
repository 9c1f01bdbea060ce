/** What follows a run: the publication, the loads of the targets, and the exit code for all of it. */
import { PINGED_ENDS, type PingedEnd } from '../alerts/pings.ts';
import { loadTarget, mayLoad } from '../app/load-targets.ts';
import { publishNoted } from '../app/publish-loop.ts';
import type { Config } from '../config/config.ts';
import { openWhenFree } from '../database/lock.ts';
import { toTimestamp } from '../lib/clock.ts';
import { InterruptedError, VodhouseError, type LockedError } from '../lib/errors.ts';
import { publishedFact } from '../publishing/about-rows.ts';
import { openLoaders } from '../publishing/loader.ts';
import type { Publication, Publisher } from '../publishing/publisher.ts';
import { isLoadDone } from '../publishing/targets/load-report.ts';
import type { RunSummary } from '../sync/run.ts';
import { listTargetLoads } from '../warehouse/statements/target-loads.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import type { CommandContext } from './command-context.ts';
import { EXIT, EXIT_OF_RUN } from './exit.ts';
import { displayPath } from './output/output.ts';
import {
  exitCodeForLoads,
  targetLoadsText,
  type PublishResult,
  type TargetLoads,
} from './output/publication-text.ts';

type Context = Pick<CommandContext, 'clock' | 'logger' | 'announce' | 'formatCommand'>;

/**
 * Publishes if anything changed and `publish.every` allows it, unless the signal has aborted. Waits while
 * another process publishes, because that one may have read the warehouse before this run ended. An expected
 * error is returned, not thrown.
 */
export async function publishAfterRun(
  { publisher, warehouse }: { publisher: Publisher | null; warehouse: Warehouse },
  context: Context,
  signal: AbortSignal,
): Promise<PublishResult> {
  if (publisher === null || signal.aborted) return null;
  const { clock, logger } = context;
  const publish = () => publishIfDue(publisher, { ...context, warehouse }, signal);
  const onWait = ({ message: reason }: LockedError) =>
    logger.info({ event: 'publish_postponed', reason }, `waiting: ${reason}`);
  try {
    return await openWhenFree(publish, clock, { onWait, signal });
  } catch (error) {
    if (error instanceof VodhouseError) return error;
    throw error;
  }
}

async function publishIfDue(
  publisher: Publisher,
  context: Context & { warehouse: Warehouse },
  signal: AbortSignal,
): Promise<Publication | null> {
  const { clock, logger, announce, formatCommand } = context;
  const now = clock.now();
  const dueAt = publisher.dueAt(now);
  if (dueAt === null) return null;
  if (dueAt > now) {
    const reason = `until ${toTimestamp(dueAt)} UTC (publish.every)`;
    const message = `publishing is postponed ${reason}: ${formatCommand('publish')} does not wait`;
    logger.info({ event: 'publish_postponed', reason }, message);
    return null;
  }
  announce(`publishing ${displayPath(publisher.file)} …`);
  return publishNoted(publisher, context, signal);
}

/** The loads of the targets that were made; `error` if a signal stopped them. */
export interface LoadsAfterRun {
  loads: TargetLoads[];
  error: InterruptedError | null;
}

/**
 * Loads the targets that lack something of the published file, one after the other, and as often as their
 * `every` allows. It loads none after a publication that failed. A load that fails is returned, not thrown.
 */
export async function loadAfterRun(
  config: Config,
  warehouse: Warehouse,
  context: Context,
  published: PublishResult,
  signal: AbortSignal,
): Promise<LoadsAfterRun> {
  const loads: TargetLoads[] = [];
  const publishedAt = config.publish && publishedFact(config.publish.file, 'published_at');
  if (published instanceof Error || publishedAt === null) return { loads, error: null };
  try {
    for (const loader of openLoaders(config)) {
      const { name: target } = loader.target;
      const rows = listTargetLoads(warehouse.db).filter((row) => row.target === target);
      const hasAll = rows.every((row) => isLoadDone(row) && (row.loaded_at ?? '') >= publishedAt);
      if (published === null && rows.length > 0 && hasAll) continue;
      if (!mayLoad(loader, rows, context.clock.now())) continue;
      context.announce(`loading target ${target} …`);
      loads.push({ target, accounts: await loadTarget(loader, { ...context, warehouse }, signal) });
    }
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    return { loads, error };
  }
  return { loads, error: null };
}

/** The text about the loads after a run; empty if there were none. */
export const loadsAfterRunText = ({ loads, error }: LoadsAfterRun): string =>
  loads.map((load) => targetLoadsText(load, true)).join('') +
  (error === null ? '' : `targets not loaded: ${error.message}\n`);

/** Which ping is sent after a run: that of a failure also where only the publication failed. */
export function getPingedEnd(status: RunSummary['status'], published: PublishResult): PingedEnd {
  const end = PINGED_ENDS[status];
  if (end !== 'success' || !(published instanceof VodhouseError)) return end;
  return published instanceof InterruptedError ? null : 'failure';
}

/** The exit code for a run, the publication after it, and the loads after that. */
export function exitCodeForSync(
  status: RunSummary['status'],
  published: PublishResult,
  targets: LoadsAfterRun = { loads: [], error: null },
): number {
  const code = EXIT_OF_RUN[status];
  if (code !== EXIT.done) return code;
  const errors = [published, targets.error];
  if (errors.some((error) => error instanceof InterruptedError)) return EXIT.interrupted;
  const isDone = !(published instanceof VodhouseError) && exitCodeForLoads(targets.loads, true) === EXIT.done;
  return isDone ? EXIT.done : EXIT.partial;
}

/**
 * Publications: those of the worker, in parallel to the runs, where neither waits for the other; and a single
 * one. A failure is noted in the live file, so that `status` shows it.
 */
import { transact } from '../database/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { InterruptedError, LockedError, errorCode, errorLine, hintLine, withHint } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import type { Publication, Publisher } from '../publishing/publisher.ts';
import { emptyReport, PUBLISHED_FILE, type LoadReport } from '../publishing/targets/load-report.ts';
import { recordLoadReports } from '../warehouse/statements/target-loads.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { tryToNote } from './worker-notes.ts';

interface PublishLoopOptions {
  publisher: Publisher;
  warehouse: Warehouse;
  clock: Clock;
  logger: Logger;
  onPublished: (publication: Publication) => void;
}

/** Starts idle. One publication at a time; one that fails is logged, and retried at the next request. */
export function createPublishLoop(options: PublishLoopOptions) {
  let isDeferred = false;
  const { request, close } = coalesce(async (signal) => {
    isDeferred = false;
    try {
      isDeferred = await publishOrDefer(options, signal);
    } catch (error) {
      logFailure(error, options);
    }
  });
  return {
    /** Publishes if anything changed since the last publication. */
    requestPublish: () => void request(),
    /** Makes a publication that `publish.every` deferred, once it allows it. To be called each minute. */
    check(): void {
      if (isDeferred) void request();
    },
    /** Aborts the current publication and waits for its end: the published file does not change. */
    close,
  };
}

/** Publishes if a publication is due. True if one is needed, and allowed only later. */
async function publishOrDefer(options: PublishLoopOptions, signal: AbortSignal): Promise<boolean> {
  const { publisher, clock, onPublished } = options;
  const now = clock.now();
  const dueAt = publisher.dueAt(now);
  if (dueAt === null) return false;
  if (dueAt > now) return true;
  onPublished(await publishNoted(publisher, options, signal));
  return false;
}

function logFailure(thrown: unknown, { logger }: PublishLoopOptions): void {
  const error = errorLine(thrown);
  if (thrown instanceof InterruptedError)
    logger.info({ event: 'publish_interrupted' }, 'publishing was interrupted; the next start publishes');
  else if (thrown instanceof LockedError)
    logger.info({ event: 'publish_postponed', reason: error }, `publishing postponed: ${error}`);
  else {
    const hint = hintLine(thrown);
    logger.error({ event: 'publish_failed', error, hint }, withHint(`publishing failed: ${error}`, hint));
  }
}

/**
 * As `Publisher.publish`. A publication that is stopped, or that another process makes, is not noted as
 * failed.
 */
export async function publishNoted(
  publisher: Pick<Publisher, 'publish'>,
  { warehouse, clock, logger }: { warehouse: Pick<Warehouse, 'db'>; clock: Clock; logger: Logger },
  signal: AbortSignal,
): Promise<Publication> {
  const store = (report: LoadReport) =>
    transact(warehouse.db, (tx) => recordLoadReports(tx, PUBLISHED_FILE, [report], clock.now()));
  const note = (report: LoadReport) => tryToNote(logger, () => store(report));
  try {
    const publication = await publisher.publish(clock.now(), signal);
    note(emptyReport(PUBLISHED_FILE, 'removed')); // the published file has a row only while it fails
    return publication;
  } catch (thrown) {
    const why = { error: errorLine(thrown), hint: hintLine(thrown), code: errorCode(thrown) || null };
    if (!(thrown instanceof InterruptedError || thrown instanceof LockedError))
      note({ ...emptyReport(PUBLISHED_FILE, 'failed'), ...why });
    throw thrown;
  }
}

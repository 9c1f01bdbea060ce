/** Keeps the published file up to date, in parallel to the runs: neither waits for the other. */
import { coalesce } from '../lib/coalesce.ts';
import { InterruptedError, LockedError, errorLine, hintLine, withHint } from '../lib/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Publication, Publisher } from '../publishing/publisher.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { publishNoted } from './publish-noted.ts';

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

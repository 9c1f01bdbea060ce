/** Keeps the published file up to date, in parallel to the runs: neither waits for the other. */
import { coalesce } from '../lib/coalesce.ts';
import { InterruptedError, LockedError, errorLine, hintLine, withHint } from '../lib/errors.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Publication, Publisher } from '../publishing/publisher.ts';

export interface PublishLoopOptions {
  publisher: Publisher;
  clock: Clock;
  logger: Logger;
  /** Called with each publication. */
  onPublished: (publication: Publication) => void;
  /** Called with the reason when one fails, and with null once the file has everything; not when one is stopped or postponed. */
  onFailure?: (error: string | null) => void;
}

/**
 * Starts idle. One publication at a time; one that fails is logged, and retried at the next request. Where `publish.every`
 * allows a publication only later, it is made then.
 */
export function createPublishLoop(options: PublishLoopOptions) {
  const { clock } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const { request, idle } = coalesce(async () => {
    try {
      const waitMs = await publishIfDue(options, signal);
      if (waitMs > 0) requestIn(waitMs);
      else options.onFailure?.(null);
    } catch (error) {
      logFailure(error, options);
    }
  }, signal);
  let isWaiting = false;

  /** Waits a day at most: the first publication of a day is always allowed. */
  function requestIn(ms: number): void {
    if (isWaiting) return;
    isWaiting = true;
    const onWake = () => {
      isWaiting = false;
      void request();
    };
    clock.sleep(Math.min(ms, DAY_MS), signal).then(onWake, onWake);
  }

  return {
    /** Publishes if anything changed since the last publication. */
    requestPublish: () => void request(),
    /** Aborts the current publication and waits for its end: the published file does not change. */
    close(): Promise<void> {
      closing.abort(new InterruptedError('stopped before the end'));
      return idle();
    },
  };
}

/** Publishes if a publication is due. Gives the milliseconds until the next one is allowed; 0 where none is needed. */
async function publishIfDue(
  { publisher, clock, onPublished }: PublishLoopOptions,
  signal: AbortSignal,
): Promise<number> {
  const now = clock.now();
  const dueAt = publisher.dueAt(now);
  if (dueAt === null) return 0;
  if (dueAt <= now) onPublished(await publisher.publish(now, signal));
  return dueAt - now;
}

function logFailure(thrown: unknown, { logger, onFailure }: PublishLoopOptions): void {
  const error = errorLine(thrown);
  if (thrown instanceof InterruptedError)
    logger.info({ event: 'publish_interrupted' }, 'publishing was interrupted; the next start publishes');
  else if (thrown instanceof LockedError)
    logger.info({ event: 'publish_postponed', reason: error }, `publishing postponed: ${error}`);
  else {
    const hint = hintLine(thrown);
    const message = withHint(`publishing failed: ${error}`, hint);
    logger.error({ event: 'publish_failed', error, hint }, message);
    onFailure?.(error);
  }
}

/** Keeps the published file up to date, in parallel to the runs: neither waits for the other. */
import { InterruptedError, LockedError, errorMessage } from '../lib/errors.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Publication, Publisher } from '../publishing/publisher.ts';

export interface PublishLoop {
  /**
   * Publishes if anything changed since the last publication. One publication at a time: a request during one is served
   * after it. Where `publish.every` allows a publication only later, it is made then.
   */
  requestPublish: () => void;
  /** Aborts the current publication and waits for its end: the published file stays as it is. */
  close: () => Promise<void>;
}

export interface PublishLoopOptions {
  publisher: Publisher;
  /** To wait by. */
  clock: Clock;
  /** The time to publish at, in milliseconds since 1970, and whether dated copies may be removed by their age. */
  getTime: () => { now: number; pruneCopies: boolean };
  logger: Logger;
  /** Called with each publication. */
  onPublished: (publication: Publication) => void;
}

/** Starts idle. A publication that fails is logged, and retried at the next request. */
export function createPublishLoop(options: PublishLoopOptions): PublishLoop {
  const { publisher, clock, getTime, logger, onPublished } = options;
  const closing = new AbortController();
  let current: Promise<void> | null = null;
  let isRequested = false;
  let isWaiting = false;

  function requestPublish(): void {
    isRequested = true;
    current ??= serveRequests().finally(() => (current = null));
  }

  async function serveRequests(): Promise<void> {
    while (isRequested && !closing.signal.aborted) {
      isRequested = false;
      try {
        await publishOrWait();
      } catch (error) {
        logFailure(error, logger);
      }
    }
  }

  async function publishOrWait(): Promise<void> {
    const { now, pruneCopies } = getTime();
    const dueAt = publisher.dueAt(now);
    if (dueAt === null) return;
    if (dueAt > now) requestIn(dueAt - now);
    else onPublished(await publisher.publish(now, closing.signal, { pruneCopies }));
  }

  /** Waits a day at most: the first publication of a day is always allowed. */
  function requestIn(ms: number): void {
    if (isWaiting) return;
    isWaiting = true;
    const onWake = () => {
      isWaiting = false;
      if (!closing.signal.aborted) requestPublish();
    };
    clock.sleep(Math.min(ms, DAY_MS), closing.signal).then(onWake, onWake);
  }

  return {
    requestPublish,
    async close() {
      closing.abort(new InterruptedError('stopped before the end'));
      await current;
    },
  };
}

function logFailure(error: unknown, logger: Logger): void {
  if (error instanceof InterruptedError) logger.info('publishing was interrupted; the next start publishes');
  else if (error instanceof LockedError) logger.info(`publishing put off: ${error.message}`);
  else logger.error(`publishing failed: ${errorMessage(error)}`);
}

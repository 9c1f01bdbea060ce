/** Keeps the published file in step with the live one, beside the runs: they do not wait for it, nor it for them. */
import { InterruptedError, LockedError, errorMessage } from '../lib/errors.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Publication, Publisher } from '../publishing/publisher.ts';

export interface Publications {
  /**
   * Publishes what is new since the last time, if anything is; one at a time, and once more for what came during one. Looks
   * again by itself when what is new may be published only later.
   */
  look: () => void;
  /** Stops the publication under way, and waits for its end: the published file stays as it is. */
  close: () => Promise<void>;
}

export interface PublicationParts {
  publisher: Publisher;
  /** To wait by. */
  clock: Clock;
  /** The time to publish at, in milliseconds since 1970, and whether dated copies may be removed by their age. */
  timeNow: () => { now: number; pruneCopies: boolean };
  logger: Logger;
  /** Called with each publication. */
  onPublished: (publication: Publication) => void;
}

/** Begins with nothing under way. A publication that fails is told, and tried again at the next look. */
export function createPublications(parts: PublicationParts): Publications {
  const { publisher, clock, timeNow, logger, onPublished } = parts;
  const closing = new AbortController();
  let atWork: Promise<void> | null = null;
  let looks = 0;
  let isWaiting = false;

  async function publishIfDue(): Promise<void> {
    for (let served = -1; served !== looks && !closing.signal.aborted;) {
      served = looks;
      try {
        await publishOrWait();
      } catch (error) {
        note(error);
      }
    }
  }

  async function publishOrWait(): Promise<void> {
    const { now, pruneCopies } = timeNow();
    const dueAt = publisher.dueAt(now);
    if (dueAt === null) return;
    if (dueAt > now) lookAgainIn(dueAt - now);
    else onPublished(await publisher.publish(now, closing.signal, { pruneCopies }));
  }

  /** A close ends the wait. A day at most, for the first publication of a day does not wait. */
  function lookAgainIn(ms: number): void {
    if (isWaiting) return;
    isWaiting = true;
    const onWake = () => {
      isWaiting = false;
      if (!closing.signal.aborted) look();
    };
    clock.sleep(Math.min(ms, DAY_MS), closing.signal).then(onWake, onWake);
  }

  function look(): void {
    looks++;
    atWork ??= publishIfDue().finally(() => (atWork = null));
  }

  function note(error: unknown): void {
    if (error instanceof InterruptedError)
      logger.info('publishing was broken off; the next start catches up');
    else if (error instanceof LockedError) logger.info(`publishing put off: ${error.message}`);
    else logger.error(`publishing failed: ${errorMessage(error)}`);
  }

  return {
    look,
    async close() {
      closing.abort(new InterruptedError('stopped before the end'));
      await atWork;
    },
  };
}

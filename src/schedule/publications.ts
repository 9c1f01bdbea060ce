/** Keeps the published file in step with the live one, beside the runs: they do not wait for it, nor it for them. */
import { InterruptedError, LockedError, messageOf } from '../lib/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Publication, Publisher } from '../warehouse/publishing/publisher.ts';

export interface Publications {
  /** Publishes what is new since the last time, if anything is; one at a time, and once more for what came meanwhile. */
  look: () => void;
  /** Stops the publication under way, and waits for its end: the published file stays as it is. */
  close: () => Promise<void>;
}

export interface PublicationParts {
  publisher: Publisher;
  clock: Clock;
  logger: Logger;
  /** Called with each publication. */
  onPublished: (publication: Publication) => void;
}

/** Begins with nothing under way. A publication that fails is told, and tried again at the next look. */
export function createPublications(parts: PublicationParts): Publications {
  const { publisher, clock, logger, onPublished } = parts;
  const closing = new AbortController();
  let atWork: Promise<void> | null = null;
  let looks = 0;

  async function publishIfDue(): Promise<void> {
    for (let served = -1; served !== looks && !closing.signal.aborted;) {
      served = looks;
      try {
        if (publisher.isDue(clock.now())) onPublished(await publisher.publish(clock.now(), closing.signal));
      } catch (error) {
        note(error);
      }
    }
  }

  function note(error: unknown): void {
    if (error instanceof InterruptedError)
      logger.info('publishing was broken off; the next start catches up');
    else if (error instanceof LockedError) logger.info(`publishing put off: ${error.message}`);
    else logger.error(`publishing failed: ${messageOf(error)}`);
  }

  return {
    look() {
      looks++;
      atWork ??= publishIfDue().finally(() => (atWork = null));
    },
    async close() {
      closing.abort(new InterruptedError('stopped before the end'));
      await atWork;
    },
  };
}

/** The process that publishes: takes one order, answers with what came of it, and ends. */
import { exitWithParent } from '../lib/child-process.ts';
import { serializeError, type SerializedError } from '../lib/serialize-error.ts';
import type { PublishRequest, Publication } from './publish-request.ts';
import { publish } from './publish.ts';

/** What the process answers. */
export type Answer = { publication: Publication } | { error: SerializedError };

async function answerTo(order: PublishRequest): Promise<Answer> {
  try {
    return { publication: await publish(order) };
  } catch (error) {
    return { error: serializeError(error) };
  }
}

exitWithParent();
process.once('message', (order: PublishRequest) => {
  void answerTo(order).then((answer) => {
    if (process.connected) process.send?.(answer, undefined, undefined, () => process.exit()); // who asked may be gone
  });
});

/** The process that publishes: takes one order, answers with what came of it, and ends. */
import { endWithParent } from '../lib/child-process.ts';
import { told, type ToldError } from '../lib/serialize-error.ts';
import type { Order, Publication } from './publish-request.ts';
import { publish } from './publish.ts';

/** What the process answers. */
export type Answer = { publication: Publication } | { error: ToldError };

async function answerTo(order: Order): Promise<Answer> {
  try {
    return { publication: await publish(order) };
  } catch (error) {
    return { error: told(error) };
  }
}

endWithParent();
process.once('message', (order: Order) => {
  void answerTo(order).then((answer) => {
    if (process.connected) process.send?.(answer, undefined, undefined, () => process.exit()); // who asked may be gone
  });
});

/** The process that publishes: takes one order, answers with what came of it, and ends. */
import { messageOf, VodhouseError } from '../../lib/errors.ts';
import { endWithParent } from './built.ts';
import type { Order, Publication } from './order.ts';
import { publish } from './publish.ts';

/** What the process answers: errors cross by the name of their class. */
export type Answer =
  | { publication: Publication }
  | { error: { name: string; message: string; hint: string | undefined; stack: string | undefined } };

async function answerTo(order: Order): Promise<Answer> {
  try {
    return { publication: await publish(order) };
  } catch (error) {
    const { name, hint } = error instanceof VodhouseError ? error : { name: 'Error', hint: undefined };
    const stack = error instanceof Error ? error.stack : undefined;
    return { error: { name, message: messageOf(error), hint, stack } };
  }
}

endWithParent();
process.once('message', (order: Order) => {
  void answerTo(order).then((answer) => {
    if (process.connected) process.send?.(answer, undefined, undefined, () => process.exit()); // who asked may be gone
  });
});

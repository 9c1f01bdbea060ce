import { InterruptedError } from '../lib/errors.ts';
import { EXIT } from './exit.ts';

/** A signal of the system's as a signal of ours. */
export interface SignalStop {
  signal: AbortSignal;
  /** Which one it was; null while none came. */
  received(): 'SIGINT' | 'SIGTERM' | null;
}

/** The first SIGINT or SIGTERM ends the work, as `words` says; the second ends it at once. */
export function abortOnSignal(words = 'stopping after the page in flight'): SignalStop {
  const controller = new AbortController();
  let received: ReturnType<SignalStop['received']> = null;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (received) process.exit(EXIT.interrupted);
      received = name;
      process.stderr.write(`${words}; once more to stop at once\n`);
      controller.abort(new InterruptedError(`stopped by ${name} before the end`));
    });
  }
  return { signal: controller.signal, received: () => received };
}

import { InterruptedError } from '../lib/errors.ts';
import { EXIT } from './exit.ts';

/** SIGINT and SIGTERM as an AbortSignal. */
export interface SignalStop {
  signal: AbortSignal;
  /** The signal that was received; null before. */
  received(): 'SIGINT' | 'SIGTERM' | null;
}

/** The first SIGINT or SIGTERM prints `text` and aborts; the second exits at once. */
export function abortOnSignal(text = 'stopping after the current page'): SignalStop {
  const controller = new AbortController();
  let received: ReturnType<SignalStop['received']> = null;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (received) process.exit(EXIT.interrupted);
      received = name;
      process.stderr.write(`${text}; a second signal stops at once\n`);
      controller.abort(new InterruptedError(`stopped by ${name} before the end`));
    });
  }
  return { signal: controller.signal, received: () => received };
}

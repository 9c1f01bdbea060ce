import { setMaxListeners } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { InterruptedError } from '../lib/errors.ts';
import { EXIT } from './exit.ts';

type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * Turns SIGINT and SIGTERM into an AbortSignal. The first one aborts it, and passes `text` as a line with its
 * line feed to `write`, which writes to stderr by default. The second one ends the process at once.
 */
export function abortOnSignal(
  text = 'stopping after the current page',
  write: (line: string, signal: StopSignal) => void = (line) => void process.stderr.write(line),
) {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // each request in flight listens, and Node warns of more than ten
  let received: StopSignal | null = null;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (received) process.exit(EXIT.interrupted);
      received = name;
      write(`${text}; a second signal stops at once\n`, name);
      controller.abort(new InterruptedError(`stopped by ${name} before the end`));
    });
  }
  /** `received` returns the first signal; null before it. */
  return { signal: controller.signal, received: () => received };
}

/**
 * Turns SIGHUP into requests. The returned function takes their one listener; it calls it at each SIGHUP, and
 * at once for one that came while there was no listener. It returns a function that removes the listener. A
 * terminal that closes sends SIGHUP too: that ends the process like SIGTERM.
 */
export function requestOnHangup() {
  let listener: (() => void) | null = null;
  let isWaiting = false;
  process.on('SIGHUP', () => {
    if (isTerminalGone()) process.kill(process.pid, 'SIGTERM');
    else if (listener) listener();
    else isWaiting = true;
  });
  return (onRequest: () => void) => {
    listener = onRequest;
    if (isWaiting) onRequest();
    isWaiting = false;
    return () => void (listener = null);
  };
}

/** Was this process started in a terminal that no longer exists? */
function isTerminalGone(): boolean {
  if (!process.stderr.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}

import { setMaxListeners } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { InterruptedError } from '../lib/errors.ts';
import { EXIT } from './exit.ts';

type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * SIGINT and SIGTERM as an AbortSignal. The first one writes `text` as a line that ends with a line feed, to
 * stderr by default, and aborts; the second exits at once.
 */
export function abortOnSignal(
  text = 'stopping after the current page',
  write: (line: string, signal: StopSignal) => void = (line) => void process.stderr.write(line),
) {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // each request in flight listens to it: Node warns of more than ten
  let received: StopSignal | null = null;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (received) process.exit(EXIT.interrupted);
      received = name;
      write(`${text}; a second signal stops at once\n`, name);
      controller.abort(new InterruptedError(`stopped by ${name} before the end`));
    });
  }
  /** `received`: the signal; null before it. */
  return { signal: controller.signal, received: () => received };
}

/**
 * SIGHUP as requests: `listen` takes the one listener, which is called for each, and at once for one that
 * came while there was none. A terminal that closes sends SIGHUP too: it ends the process like SIGTERM.
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

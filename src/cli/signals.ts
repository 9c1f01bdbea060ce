import { InterruptedError } from '../lib/errors.ts';
import { EXIT } from './exit.ts';

/**
 * SIGINT and SIGTERM as an AbortSignal. The first one writes `text` as a line, to stderr by default, and aborts; the second
 * exits at once.
 */
export function abortOnSignal(
  text = 'stopping after the current page',
  write: (line: string) => void = (line) => void process.stderr.write(line),
) {
  const controller = new AbortController();
  let received: 'SIGINT' | 'SIGTERM' | null = null;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (received) process.exit(EXIT.interrupted);
      received = name;
      write(`${text}; a second signal stops at once\n`);
      controller.abort(new InterruptedError(`stopped by ${name} before the end`));
    });
  }
  /** `received`: the signal; null before it. */
  return { signal: controller.signal, received: () => received };
}

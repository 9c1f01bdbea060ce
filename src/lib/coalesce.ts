import { InterruptedError } from './errors.ts';

/**
 * Runs work one call at a time: all requests during a run are served by one more run after it. `run` must not
 * reject; its signal aborts at `close`, and no run begins after that.
 */
export function coalesce(run: (signal: AbortSignal) => Promise<void>) {
  const closing = new AbortController();
  const { signal } = closing;
  let isRequested = false;
  let running: Promise<void> | null = null;

  async function runWhileRequested(): Promise<void> {
    while (isRequested && !signal.aborted) {
      isRequested = false;
      await run(signal);
    }
  }

  /** Resolves when nothing runs, and requests no run. */
  const idle = async (): Promise<void> => {
    await running;
  };
  return {
    /** Resolves when nothing runs any more. */
    request: (): Promise<void> => {
      isRequested = true;
      return (running ??= runWhileRequested().finally(() => (running = null)));
    },
    idle,
    /** Aborts a run under way, and waits for its end. */
    close: (): Promise<void> => {
      closing.abort(new InterruptedError());
      return idle();
    },
  };
}

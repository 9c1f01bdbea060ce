/**
 * Runs work one call at a time: all requests during a run are served by one more run after it. No run begins after the
 * signal aborts. `run` must not reject.
 */
export function coalesce(run: () => Promise<void>, signal: AbortSignal) {
  let isRequested = false;
  let running: Promise<void> | null = null;

  async function runWhileRequested(): Promise<void> {
    while (isRequested && !signal.aborted) {
      isRequested = false;
      await run();
    }
  }

  return {
    /** Resolves when nothing runs any more. */
    request: (): Promise<void> => {
      isRequested = true;
      return (running ??= runWhileRequested().finally(() => (running = null)));
    },
    /** Resolves when nothing runs; requests nothing. */
    idle: async (): Promise<void> => {
      await running;
    },
  };
}

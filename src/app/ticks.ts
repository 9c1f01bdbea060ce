/** When the worker checks what is due. */

/**
 * Calls `onTick` at each whole multiple of `periodMs` since 1970, such as each full minute, until the returned function is
 * called. A timer that a suspended machine delayed makes one late call.
 */
export function startTicks(periodMs: number, onTick: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout;
  const wait = () => {
    timer = setTimeout(tick, periodMs - (Date.now() % periodMs));
  };
  const tick = () => {
    wait();
    void onTick();
  };
  wait();
  return () => clearTimeout(timer);
}

/**
 * Decides which request is answered when several packages are walked at a time. One walk continues at any
 * moment, until its next request or its end: so the order depends only on `choose`, and a seed repeats the
 * same run. The first package is alone until it has its first response.
 */
export interface Turns {
  /** The number of walks, and the concurrency. */
  begin(walks: number, atATime: number): void;
  /** Resolves when the request of this package may be answered. */
  take(packageId: number): Promise<void>;
  /** The walk of the package has ended. */
  ended(packageId: number): void;
  /** No further walk starts: waiting requests are served without waiting for others. */
  stopStarting(): void;
  /** Every request is answered immediately from now on. */
  releaseAll(): void;
}

interface State {
  left: number;
  atATime: number;
  running: number | null;
  waiting: Map<number, () => void>;
  mode: 'full' | 'last' | 'open';
  served: number;
  /** No request has been answered in this run. */
  isFirst: boolean;
}

/** `choose` returns any number for the n-th choice. */
export function createTurns(choose: (n: number) => number): Turns {
  const waiting = new Map<number, () => void>();
  const state: State = {
    left: 0,
    atATime: 1,
    running: null,
    waiting,
    mode: 'open',
    served: 0,
    isFirst: true,
  };
  const rest = (packageId: number) => {
    if (state.running === packageId) state.running = null;
  };
  return {
    begin: (walks, atATime) => {
      Object.assign(state, { left: walks, atATime, running: null, mode: 'full', isFirst: true });
      waiting.clear();
    },
    take: (packageId) =>
      new Promise((resolve) => {
        rest(packageId);
        waiting.set(packageId, resolve);
        serveNext(state, choose);
      }),
    ended: (packageId) => {
      state.left--;
      rest(packageId);
      serveNext(state, choose);
    },
    stopStarting: () => {
      if (state.mode === 'full') state.mode = 'last';
      serveNext(state, choose);
    },
    releaseAll: () => {
      state.mode = 'open';
      serveNext(state, choose);
    },
  };
}

function serveNext(state: State, choose: (n: number) => number): void {
  const { waiting, mode } = state;
  if (mode === 'open') {
    for (const serve of waiting.values()) serve();
    waiting.clear();
    return;
  }
  const awaited = mode === 'last' || state.isFirst ? 1 : Math.min(state.atATime, state.left);
  if (state.running !== null || waiting.size === 0 || waiting.size < awaited) return;
  const inOrder = [...waiting.keys()].sort((one, other) => one - other);
  const next = inOrder[choose(state.served++) % inOrder.length] ?? 0;
  state.running = next;
  state.isFirst = false;
  waiting.get(next)?.();
  waiting.delete(next);
}

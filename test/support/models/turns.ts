/**
 * Who is answered when several packages are walked at a time. One walk goes on at any moment, until it asks again or
 * ends: so which package is served next depends on nothing but `choose`, and a seed gives the same run again. The first
 * package asks alone until it has its first answer.
 */
export interface Turns {
  /** So many walks are to come, this many at a time. */
  begin(walks: number, atATime: number): void;
  /** Resolves when the request of this package may be answered. */
  take(packageId: number): Promise<void>;
  /** The walk of the package has come to its end. */
  ended(packageId: number): void;
  /** No further walk asks: those that wait are served without waiting for others. */
  windUp(): void;
  /** Everybody is answered at once, from now on. */
  letAllThrough(): void;
}

interface State {
  left: number;
  atATime: number;
  running: number | null;
  waiting: Map<number, () => void>;
  mode: 'whole' | 'last' | 'open';
  served: number;
  /** Nobody has been answered in this run. */
  isFirst: boolean;
}

/** `choose` gives any number for the n-th choice. */
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
      Object.assign(state, { left: walks, atATime, running: null, mode: 'whole', isFirst: true });
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
    windUp: () => {
      if (state.mode === 'whole') state.mode = 'last';
      serveNext(state, choose);
    },
    letAllThrough: () => {
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

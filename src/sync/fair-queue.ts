/**
 * Fair round-robin queue: packages are served in their order, a few at a time, each for a number of pages
 * before the others. A package of 1,000 pages delays no other one, and its walk continues where it was.
 */

/** The slot of one package. */
export interface Slot {
  /** Throws if the run must stop before the package starts. */
  begin(): void;
  /** The service has answered: packages are served concurrently from now on. */
  answered(): void;
  /** Counts one page. True if the turn is over: call `nextSlot` before the next page. */
  pageRead(): boolean;
  /** Waits for the next turn of the package. Throws if the run must stop. */
  nextSlot(): Promise<void>;
}

export interface FairnessRules {
  /**
   * Packages served at the same time. Until the first response it is one, so that a wrong key costs one
   * request and not several.
   */
  concurrency: number;
  /** Pages of a turn. */
  pages: number;
  /** Started walks that may wait for their next turn while new ones start: each is held in memory. */
  maxStarted: number;
  /** Why the run must stop, or null. */
  stopReason(): Error | null;
  /**
   * Is informed when the service has answered. While it is in doubt, the next package is taken from the end:
   * that is the one that was served most recently.
   */
  breaker?: { answered(): void; isInDoubt(): boolean } | undefined;
}

export const FAIRNESS = { pages: 50, maxStarted: 100 } as const;

interface Queue<T> {
  rules: FairnessRules;
  packages: T[];
  /** Index of the first package that has not started. */
  next: number;
  /** Resumes the started walks that wait for their next turn. */
  waiting: (() => void)[];
  /** Pages of first turns since a waiting walk was resumed. */
  firstTurnPages: number;
  active: number;
  concurrency: number;
  serve: (one: T, slot: Slot) => Promise<void>;
  /** Settles the whole queue. */
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Serves all packages; resolves when the last one is done. `serve` must not reject. */
export function runFairly<T>(
  packages: readonly T[],
  rules: FairnessRules,
  serve: (one: T, slot: Slot) => Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const progress = { next: 0, waiting: [], firstTurnPages: 0, active: 0, concurrency: 1 };
    fillSlots({ rules, packages: [...packages], ...progress, serve, resolve, reject });
  });
}

/** Assigns all free slots. */
function fillSlots<T>(queue: Queue<T>): void {
  while (queue.active < queue.concurrency) {
    const next = chooseNext(queue);
    if (next === null) break;
    queue.active++;
    if (next === 'new') startNext(queue);
    else {
      queue.firstTurnPages = 0;
      queue.waiting.shift()?.();
    }
  }
  if (queue.active === 0 && chooseNext(queue) === null) queue.resolve();
}

/**
 * Gives a free slot to a new package, unless too many walks wait, or new packages have used the pages of one
 * turn since a waiting walk was resumed. Without the second rule, a long walk would not end before all
 * packages have had their first turn, which may take days.
 */
function chooseNext<T>({ rules, packages, next, waiting, firstTurnPages }: Queue<T>) {
  const hasNew = next < packages.length;
  if (waiting.length === 0) return hasNew ? 'new' : null;
  const isTurnOfWaiting = waiting.length >= rules.maxStarted || firstTurnPages >= rules.pages;
  return hasNew && !isTurnOfWaiting ? 'new' : 'waiting';
}

function startNext<T>(queue: Queue<T>): void {
  // chooseNext() has found that there is one
  const one = (queue.rules.breaker?.isInDoubt() ? queue.packages.pop() : queue.packages[queue.next++]) as T;
  queue.serve(one, createSlot(queue)).then(() => {
    queue.active--;
    fillSlots(queue);
  }, queue.reject);
}

function createSlot<T>(queue: Queue<T>): Slot {
  const { rules } = queue;
  let pages = 0;
  let isFirstTurn = true;
  const assertMayRun = () => {
    const reason = rules.stopReason();
    if (reason) throw reason;
  };
  return {
    begin: assertMayRun,
    answered: () => {
      rules.breaker?.answered();
      if (queue.concurrency >= rules.concurrency) return;
      queue.concurrency = rules.concurrency;
      fillSlots(queue);
    },
    pageRead: () => {
      pages++;
      if (isFirstTurn) queue.firstTurnPages++;
      return pages >= rules.pages && (chooseNext(queue) !== null || rules.stopReason() !== null);
    },
    nextSlot: async () => {
      assertMayRun();
      pages = 0;
      isFirstTurn = false;
      if (queue.waiting.length === 0) queue.firstTurnPages = 0;
      const turn = new Promise<void>((resolve) => queue.waiting.push(resolve));
      queue.active--;
      fillSlots(queue);
      await turn;
      assertMayRun();
    },
  };
}

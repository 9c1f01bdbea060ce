/**
 * Who is served when: packages in their order, a few at a time, each for so many pages before the others have theirs.
 * A package of a thousand pages keeps nobody waiting, and pays nothing for it: its walk goes on where it stood.
 */

/** The turn of one package. */
export interface Slot {
  /** Throws what ends the turn before it begins. */
  begin(): void;
  /** The service has answered: from now on all seats are open. */
  answered(): void;
  /** Counts one page. True where the turn is over with it: `again` stands before the next one. */
  pageRead(): boolean;
  /** Waits until it is this package's turn again. Throws where the run must not go on. */
  nextSlot(): Promise<void>;
}

export interface FairnessRules {
  /** Packages served at a time. Until the first answer has come it is one: a wrong key is tried by one after the other. */
  concurrency: number;
  /** Pages of a turn. */
  pages: number;
  /** Walks that may wait for another turn while new ones begin: each of them is held in memory. */
  maxStarted: number;
  /** Why the run must not go on, or null. */
  stopReason(): Error | null;
}

/** How the turns of a run go, unless a test says otherwise. */
export const FAIRNESS = { pages: 50, maxStarted: 100 } as const;

interface Queue<T> {
  rules: FairnessRules;
  fresh: readonly T[];
  /** The first of `fresh` that had no turn yet. */
  next: number;
  /** Walks that wait for their turn to come again. */
  begun: (() => void)[];
  /** Pages of first turns while walks waited for another: so many as a turn has, and one of those goes on. */
  freshPages: number;
  taken: number;
  seats: number;
}

/** Serves all of them; resolves when the last one is done. `serve` does not reject. */
export async function runFairly<T>(
  waiting: readonly T[],
  rules: FairnessRules,
  serve: (one: T, turn: Slot) => Promise<void>,
): Promise<void> {
  const queue: Queue<T> = { rules, fresh: waiting, next: 0, begun: [], freshPages: 0, taken: 0, seats: 1 };
  await new Promise<void>((resolve, reject) => {
    const isDone = () => queue.taken === 0 && queue.begun.length === 0 && queue.next >= waiting.length;
    const start = (one: T) => {
      serve(one, createTurn(queue, fill)).then(() => {
        queue.taken--;
        fill();
      }, reject);
    };
    function fill(): void {
      while (queue.taken < queue.seats && takeSeat(queue, start));
      if (isDone()) resolve();
    }
    fill();
  });
}

/**
 * Gives a free seat to whoever is next: one that had no turn yet, unless too many are under way, or such have had the
 * pages of a turn since a walk went on: a long walk would not end where a first round takes days. False for nobody.
 */
function takeSeat<T>(queue: Queue<T>, start: (one: T) => void): boolean {
  const { fresh, begun, rules } = queue;
  const one = fresh[queue.next];
  const mayBegin = begun.length === 0 || (begun.length < rules.maxStarted && queue.freshPages < rules.pages);
  const isFresh = queue.next < fresh.length && mayBegin;
  const goOn = isFresh ? undefined : begun.shift();
  if (!isFresh && !goOn) return false;
  queue.taken++;
  if (goOn) {
    queue.freshPages = 0;
    goOn();
  } else {
    queue.next++;
    start(one as T);
  }
  return true;
}

function createTurn<T>(queue: Queue<T>, fill: () => void): Slot {
  const { rules } = queue;
  let pages = 0;
  let isFirst = true;
  const check = () => {
    const why = rules.stopReason();
    if (why) throw why;
  };
  return {
    begin: check,
    answered: () => {
      if (queue.seats >= rules.concurrency) return;
      queue.seats = rules.concurrency;
      fill();
    },
    pageRead: () => {
      pages++;
      if (isFirst) queue.freshPages++;
      const isAnyoneWaiting = queue.next < queue.fresh.length || queue.begun.length > 0;
      return pages >= rules.pages && (isAnyoneWaiting || rules.stopReason() !== null);
    },
    nextSlot: async () => {
      check();
      pages = 0;
      isFirst = false;
      if (queue.begun.length === 0) queue.freshPages = 0;
      const myTurn = new Promise<void>((resolve) => queue.begun.push(resolve));
      queue.taken--;
      fill();
      await myTurn;
      check();
    },
  };
}

/**
 * Runs turns with walks that are numbers of pages, and returns the violations of the rules of
 * src/sync/fair-queue.ts.
 */
import { runFairly, type Slot } from '../../../src/sync/fair-queue.ts';

export interface TurnPlay {
  /** Pages of each package; packages are named by their position in this list. */
  sizes: readonly number[];
  concurrency: number;
  pages: number;
  maxStarted: number;
  /** Packages that end early: before this page. */
  endsBefore?: ReadonlyMap<number, number>;
  /** The run must stop once this many pages were read. */
  stopAfter?: number;
}

export interface Played {
  /** The package of each page, in the order of reads. */
  read: number[];
  /** In the order of their first turns. */
  started: number[];
  /** Those that ended, early or not; and those that were stopped between turns. */
  ended: number[];
  stopped: number[];
  /** The most in memory at a time: walks that have a slot, or wait for one again. */
  mostHeld: number;
  /** The violations, as texts. */
  breaches: string[];
}

interface Stage {
  play: TurnPlay;
  played: Played;
  active: Set<number>;
  waiting: number[];
  /** Pages of first turns since a walk continued, or since one began to wait. */
  freshPages: number;
  wait: () => Promise<unknown>;
}

/** Runs it; `wait` simulates the time that a page takes. */
export async function runTurns(
  play: TurnPlay,
  wait: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Played> {
  const played: Played = { read: [], started: [], ended: [], stopped: [], mostHeld: 0, breaches: [] };
  const stage: Stage = { play, played, active: new Set(), waiting: [], freshPages: 0, wait };
  const { concurrency, pages, maxStarted, stopAfter = Infinity } = play;
  const stopReason = () => (played.read.length >= stopAfter ? new Error('stop') : null);
  const names = play.sizes.map((_, name) => name);
  await runFairly(names, { concurrency, pages, maxStarted, stopReason }, (name, turn) =>
    serve(stage, name, turn),
  );
  return played;
}

async function serve(stage: Stage, name: number, turn: Slot): Promise<void> {
  const { played, active } = stage;
  played.started.push(name);
  takeSeat(stage, name);
  try {
    turn.begin();
    await readAll(stage, name, turn);
    played.ended.push(name);
  } catch {
    played.stopped.push(name);
  } finally {
    active.delete(name);
  }
}

async function readAll(stage: Stage, name: number, turn: Slot): Promise<void> {
  const { play, played } = stage;
  const size = play.sizes[name] ?? 0;
  let pagesInTurn = 0;
  let isFirst = true;
  for (let page = 1; page <= size; page++) {
    await stage.wait();
    if (play.endsBefore?.get(name) === page) return;
    played.read.push(name);
    turn.answered();
    pagesInTurn++;
    if (isFirst) stage.freshPages++;
    const isOver = turn.pageRead();
    judgeTurn(stage, name, pagesInTurn, isOver);
    if (!isOver || page === size) continue;
    await waitForTurn(stage, name, turn);
    pagesInTurn = 0;
    isFirst = false;
  }
}

async function waitForTurn(stage: Stage, name: number, turn: Slot): Promise<void> {
  const { active, waiting, played } = stage;
  active.delete(name);
  if (waiting.length === 0) stage.freshPages = 0;
  waiting.push(name);
  try {
    await turn.nextSlot();
  } catch (error) {
    waiting.splice(waiting.indexOf(name), 1);
    throw error;
  }
  if (waiting[0] !== name) played.breaches.push(`${name} is before those that waited longer`);
  const isLineFull = waiting.length >= stage.play.maxStarted;
  const isTheirTurn = stage.freshPages >= stage.play.pages;
  stage.freshPages = 0;
  if (isAnyFresh(stage) && !isLineFull && !isTheirTurn)
    played.breaches.push(`${name} is before those that had no turn`);
  waiting.splice(waiting.indexOf(name), 1);
  takeSeat(stage, name);
}

function takeSeat({ play, played, active, waiting }: Stage, name: number): void {
  active.add(name);
  played.mostHeld = Math.max(played.mostHeld, active.size + waiting.length);
  const concurrency = played.read.length === 0 ? 1 : play.concurrency;
  if (active.size > concurrency) played.breaches.push(`${active.size} are served at a time`);
}

function judgeTurn(stage: Stage, name: number, pagesInTurn: number, isOver: boolean): void {
  const { play, played } = stage;
  const mustStop = pagesInTurn >= play.pages && played.read.length >= (play.stopAfter ?? Infinity);
  if (mustStop && !isOver) played.breaches.push(`the turn of ${name} goes on though the run must not`);
  if (isOver && pagesInTurn < play.pages) played.breaches.push(`the turn of ${name} is too short`);
  const isTooLong = pagesInTurn >= play.pages && isAnyFresh(stage) && !isOver;
  if (isTooLong) played.breaches.push(`the turn of ${name} is too long`);
}

function isAnyFresh({ play, played }: Stage): boolean {
  return played.started.length < play.sizes.length;
}

/**
 * What reads many rows, in a thread, so that no page waits for it: totals, growth and changes of packages,
 * and lists that are searched.
 */
import { Worker } from 'node:worker_threads';
import { bundleUrl } from '../lib/child-process.ts';
import { BusyError, errorMessage, WarehouseError } from '../lib/errors.ts';
import { withinTime } from '../lib/within-time.ts';
import { keyOfPackage, type PackageKey, type PackageRow } from '../sync/package-key.ts';
import type { ChangesRequest, FoundChanges } from './changes/find-changes.ts';
import type { Growth, PackageTotals } from './named/packages.ts';
import type { ListPage, ListQuery } from './video-list/list-page.ts';

/** A package whose totals are wanted, in its present state. */
export interface CountedPackage extends PackageRow {
  changed_seq: number;
  /** Its changes are counted from this time on. */
  since: string;
}

/** The rows of an answer of the published file as texts, two hundred at most. */
export interface Answer {
  columns: string[];
  /** Which columns have numbers only. */
  isNumeric: boolean[];
  /** A NULL of the answer is null. */
  rows: (string | null)[][];
  /** Whether there are more rows. */
  hasMore: boolean;
}

/** What a thread is asked, by name, and what it answers. */
export interface WideRequests {
  /** The totals of the first packages: of as many as were read in time, at least one. */
  totals: { ask: readonly CountedPackage[]; answer: PackageTotals[] };
  growth: { ask: PackageRow; answer: Growth[] };
  changes: { ask: ChangesRequest; answer: FoundChanges };
  /** Null if no full walk of the package has completed. */
  scan: { ask: { key: PackageKey; query: ListQuery }; answer: ListPage | null };
  /** SQL on the published file. */
  question: { ask: { file: string; sql: string }; answer: Answer };
}

/** How many packages one request to the thread has. */
const BATCH = 500;

export type WideReads = ReturnType<typeof openWideReads>;

/**
 * Opens the live file at `path` with the first read. Searches of the mirror and questions have threads of
 * their own.
 */
export function openWideReads(path: string) {
  const [pages, lists, questions] = [
    createThreadQueue(path),
    createThreadQueue(path),
    createThreadQueue(path),
  ];
  const closed = new AbortController();

  /** Each function rejects as `ask` of the queue does. */
  return {
    totals: createTotals((packages) => pages.ask('totals', packages, closed.signal)),
    /** The oldest first. */
    growth: (of: WideRequests['growth']['ask'], signal: AbortSignal) => pages.ask('growth', of, signal),
    changes: (of: ChangesRequest, signal: AbortSignal) => pages.ask('changes', of, signal),
    scan: (key: PackageKey, query: ListQuery, signal: AbortSignal) =>
      lists.ask('scan', { key, query }, signal),
    question: (file: string, sql: string, signal: AbortSignal) =>
      questions.ask('question', { file, sql }, signal),
    close: async (): Promise<void> => {
      closed.abort();
      await Promise.all([pages, lists, questions].map((queue) => queue.close()));
    },
  };
}

/** `read` returns the totals of the first packages, of at least one. */
function createTotals(read: (packages: readonly CountedPackage[]) => Promise<PackageTotals[]>) {
  const kept = new Map<string, { totals: PackageTotals; state: string }>();
  let reading: Promise<void> | null = null;
  const getState = ({ changed_seq, since }: CountedPackage) => `${changed_seq} ${since}`;
  const isKept = (row: CountedPackage) => kept.get(keyOfPackage(row))?.state === getState(row);

  async function readAll(packages: readonly CountedPackage[]): Promise<void> {
    for (let at = 0; at < packages.length;) {
      const batch = packages.slice(at, at + BATCH);
      const found = await read(batch);
      for (const [index, totals] of found.entries()) {
        const row = batch[index];
        if (row) kept.set(keyOfPackage(row), { totals, state: getState(row) });
      }
      at += found.length;
    }
  }

  /**
   * The returned function has the totals of a package, which are read once after each change of it. Waits at
   * most `waitMs`: what is not read by then is null, or that of an earlier state, and counts in `pending`.
   */
  return async (packages: readonly CountedPackage[], waitMs: number) => {
    const missing = packages.filter((row) => !isKept(row));
    if (missing.length > 0) {
      reading ??= readAll(missing).finally(() => (reading = null));
      await withinTime(reading, waitMs);
    }
    return {
      of: (row: PackageRow) => kept.get(keyOfPackage(row))?.totals ?? null,
      pending: missing.filter((row) => !isKept(row)).length,
    };
  };
}

/** Below the number of requests that the server answers at once, so that other pages still get a place. */
const MAX_QUEUED = 64;

type Name = keyof WideRequests;

/** A message to the thread. */
export type ThreadRequest = { [Each in Name]: { name: Each; ask: WideRequests[Each]['ask'] } }[Name];
export type ThreadResult = { answer: WideRequests[Name]['answer'] } | { error: string };

interface Waiting {
  request: ThreadRequest;
  settle: (result: ThreadResult) => void;
}

/**
 * A queue in front of a thread that reads the live file at `path`: it answers one request after the other.
 * The thread starts with the first request, and again with the next one if it ended.
 */
function createThreadQueue(path: string) {
  const queue: Waiting[] = [];
  let running: Waiting | undefined;
  let thread: Worker | null = null;

  function startThread(): Worker {
    let failure = 'the scan was stopped';
    return new Worker(bundleUrl('web/reader-thread'), { workerData: path })
      .on('message', finish)
      .on('error', (error) => (failure = errorMessage(error)))
      .on('exit', () => {
        thread = null;
        finish({ error: failure });
      });
  }

  function finish(result: ThreadResult): void {
    running?.settle(result);
    running = undefined;
    startNext();
  }

  function startNext(): void {
    if (running) return;
    running = queue.shift();
    if (!running) return;
    thread ??= startThread();
    thread.postMessage(running.request);
  }

  return {
    /**
     * Rejects with BusyError if the queue is full, with WarehouseError if the file cannot be read or the
     * thread ended, and with the reason of the signal as soon as it aborts: a request that is still queued
     * then never starts.
     */
    ask: <Asked extends Name>(name: Asked, ask: WideRequests[Asked]['ask'], signal: AbortSignal) =>
      new Promise<WideRequests[Asked]['answer']>((resolve, reject) => {
        signal.throwIfAborted();
        if (queue.length >= MAX_QUEUED) throw new BusyError(`${queue.length} searches wait already`);
        const settle = (result: ThreadResult) => {
          signal.removeEventListener('abort', onAbort);
          if ('answer' in result) resolve(result.answer);
          else reject(new WarehouseError(result.error));
        };
        const waiting: Waiting = { request: { name, ask } as ThreadRequest, settle };
        const onAbort = () => {
          if (queue.includes(waiting)) queue.splice(queue.indexOf(waiting), 1);
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        queue.push(waiting);
        startNext();
      }),
    close: async (): Promise<void> => {
      for (const { settle } of queue.splice(0)) settle({ error: 'the server is closing' });
      await thread?.terminate();
    },
  };
}

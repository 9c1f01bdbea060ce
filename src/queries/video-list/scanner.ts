/** The scanning thread as the rest sees it. */
import { Worker } from 'node:worker_threads';
import { BusyError, WarehouseError } from '../../lib/errors.ts';
import { distFile } from '../../lib/child-process.ts';
import type { ScanAnswer, ScanOrder } from './scan-thread.ts';
import type { ListPage } from './list-page.ts';
import type { ListQuery } from './list-query.ts';
import type { PackageKey } from '../../lib/package-key.ts';

export interface Scanner {
  /**
   * One page, from a look of its own; null where the package was never walked whole. Rejects with BusyError where too many
   * wait, with WarehouseError where the file cannot be read or the thread ended, and with the reason of the signal as soon as
   * that aborts: one that nobody waits for any more is not begun.
   */
  scan(key: PackageKey, wish: ListQuery, signal: AbortSignal): Promise<ListPage | null>;
  close(): Promise<void>;
}

/** Scans that may wait for the one under way: fewer than the server answers at once, so that pages by id find a place. */
const MOST_WAITING = 64;

interface Waiting {
  order: ScanOrder;
  resolve: (page: ListPage | null) => void;
  reject: (error: Error) => void;
}

/** A scanner of the live file at `path`: its thread starts at once, and anew with the next scan after it ended. */
export function createScanner(path: string): Scanner {
  const queue: Waiting[] = [];
  let underWay: Waiting | null = null;
  let thread: Worker | null = start();

  function start(): Worker {
    const started = new Worker(distFile('queries/video-list/scan-thread.js'), { workerData: path });
    const end = (error: Error) => {
      if (thread !== started) return;
      thread = null;
      finish((asked) => asked.reject(error));
    };
    started.on('message', (answer: ScanAnswer) => {
      finish((asked) => {
        if ('page' in answer) asked.resolve(answer.page);
        else asked.reject(new WarehouseError(answer.error));
      });
    });
    return started.on('error', end).on('exit', () => end(new WarehouseError('the scan was broken off')));
  }

  function finish(tell: (asked: Waiting) => void): void {
    const asked = underWay;
    underWay = null;
    if (asked) tell(asked);
    next();
  }

  function next(): void {
    if (underWay) return;
    underWay = queue.shift() ?? null;
    if (!underWay) return;
    thread ??= start();
    thread.postMessage(underWay.order);
  }

  return {
    scan: (key, wish, signal) =>
      new Promise((resolve, reject) => {
        if (queue.length >= MOST_WAITING) throw new BusyError(`${queue.length} searches wait already`);
        const waiting = { order: { key, wish }, resolve, reject };
        queue.push(waiting);
        const give = () => {
          const place = queue.indexOf(waiting);
          if (place !== -1) queue.splice(place, 1);
          reject(signal.reason as Error);
        };
        if (signal.aborted) give();
        else signal.addEventListener('abort', give, { once: true });
        next();
      }),
    close: async () => {
      const closing = thread;
      thread = null;
      await closing?.terminate();
    },
  };
}

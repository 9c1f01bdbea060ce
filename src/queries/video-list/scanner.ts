/** A queue in front of the thread that scans. */
import { Worker } from 'node:worker_threads';
import { distFile } from '../../lib/child-process.ts';
import { BusyError, errorMessage, WarehouseError } from '../../lib/errors.ts';
import type { PackageKey } from '../../lib/package-key.ts';
import type { ListPage, ListQuery } from './list-query.ts';
import type { ScanRequest, ScanResult } from './scan-thread.ts';

/** Below the number of requests that the server answers at once, so that pages by id still get a place. */
const MAX_QUEUED = 64;

interface Task {
  request: ScanRequest;
  resolve: (page: ListPage | null) => void;
  reject: (error: unknown) => void;
}

/** Scans the live file at `path` in a thread, which starts with the first scan, and again with the next one if it ended. */
export function createScanner(path: string) {
  const queue: Task[] = [];
  let running: Task | undefined;
  let thread: Worker | null = null;

  function startThread(): Worker {
    let failure = 'the scan was stopped';
    return new Worker(distFile('queries/video-list/scan-thread.js'), { workerData: path })
      .on('message', finish)
      .on('error', (error) => (failure = errorMessage(error)))
      .on('exit', () => {
        thread = null;
        finish({ error: failure });
      });
  }

  function finish(result: ScanResult): void {
    if ('page' in result) running?.resolve(result.page);
    else running?.reject(new WarehouseError(result.error));
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
     * Reads one page in a snapshot of its own; null if no full walk of the package has completed. Rejects with BusyError if
     * the queue is full, with WarehouseError if the file cannot be read or the thread ended, and with the reason of the
     * signal as soon as it aborts: a scan that is still queued then never starts.
     */
    scan: (key: PackageKey, query: ListQuery, signal: AbortSignal) =>
      new Promise<ListPage | null>((resolve, reject) => {
        signal.throwIfAborted();
        if (queue.length >= MAX_QUEUED) throw new BusyError(`${queue.length} searches wait already`);
        const task = { request: { key, query }, resolve, reject };
        queue.push(task);
        const onAbort = () => {
          if (queue.includes(task)) queue.splice(queue.indexOf(task), 1);
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        startNext();
      }),
    close: async (): Promise<void> => {
      for (const { reject } of queue.splice(0)) reject(new WarehouseError('the server is closing'));
      await thread?.terminate();
    },
  };
}

/** A queue in front of a worker thread that reads: it answers one request after the other. */
import { Worker } from 'node:worker_threads';
import { distFile } from '../lib/child-process.ts';
import { BusyError, errorMessage, WarehouseError } from '../lib/errors.ts';

/** Below the number of requests that the server answers at once, so that other pages still get a place. */
const MAX_QUEUED = 64;

/** What a thread answers. */
export type ThreadResult<Result> = { result: Result } | { error: string };

interface Waiting<Request, Result> {
  request: Request;
  resolve: (result: Result) => void;
  reject: (error: Error) => void;
}

export interface ThreadQueueOptions {
  /** The live file. */
  path: string;
  /** The file of the thread in `dist`. */
  thread: string;
}

export interface ThreadQueue<Request, Result> {
  /**
   * Rejects with BusyError if the queue is full, with WarehouseError if the file cannot be read or the thread ended, and
   * with the reason of the signal as soon as it aborts: a request that is still queued then never starts.
   */
  ask: (request: Request, signal: AbortSignal) => Promise<Result>;
  close: () => Promise<void>;
}

/** The thread starts with the first request, and again with the next one if it ended. */
export function createThreadQueue<Request, Result>({
  path,
  thread: file,
}: ThreadQueueOptions): ThreadQueue<Request, Result> {
  const queue: Waiting<Request, Result>[] = [];
  let running: Waiting<Request, Result> | undefined;
  let thread: Worker | null = null;

  function startThread(): Worker {
    let failure = 'the scan was stopped';
    return new Worker(distFile(file), { workerData: path })
      .on('message', finish)
      .on('error', (error) => (failure = errorMessage(error)))
      .on('exit', () => {
        thread = null;
        finish({ error: failure });
      });
  }

  function finish(answer: ThreadResult<Result>): void {
    if ('result' in answer) running?.resolve(answer.result);
    else running?.reject(new WarehouseError(answer.error));
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
    ask: (request: Request, signal: AbortSignal) =>
      new Promise<Result>((resolve, reject) => {
        signal.throwIfAborted();
        if (queue.length >= MAX_QUEUED) throw new BusyError(`${queue.length} searches wait already`);
        const settle = () => signal.removeEventListener('abort', onAbort);
        const waiting: Waiting<Request, Result> = {
          request,
          resolve: (result) => {
            settle();
            resolve(result);
          },
          reject: (error) => {
            settle();
            reject(error);
          },
        };
        queue.push(waiting);
        function onAbort() {
          if (queue.includes(waiting)) queue.splice(queue.indexOf(waiting), 1);
          reject(signal.reason as Error);
        }
        signal.addEventListener('abort', onAbort, { once: true });
        startNext();
      }),
    close: async (): Promise<void> => {
      for (const { reject } of queue.splice(0)) reject(new WarehouseError('the server is closing'));
      await thread?.terminate();
    },
  };
}

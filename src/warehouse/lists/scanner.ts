/** The scanning thread as the rest sees it. */
import { Worker } from 'node:worker_threads';
import { WarehouseError } from '../../lib/errors.ts';
import { builtFile } from '../../lib/built.ts';
import type { PackageKey } from '../statements/video.ts';
import type { Scanned } from './scan.ts';
import type { ScanAnswer, ScanOrder } from './scan-thread.ts';
import type { Wish } from './wish.ts';

export interface Scanner {
  /** One page, from a look of its own. Rejects with WarehouseError where the file cannot be read, or the thread ended. */
  scan(key: PackageKey, wish: Wish): Promise<Scanned>;
  close(): Promise<void>;
}

interface Waiting {
  resolve: (found: Scanned) => void;
  reject: (error: Error) => void;
}

/** A scanner of the live file at `path`: its thread starts at once, and anew with the next scan after it ended. */
export function createScanner(path: string): Scanner {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | null = start();
  let number = 0;

  function start(): Worker {
    const started = new Worker(builtFile('warehouse/lists/scan-thread.js'), { workerData: path });
    started.on('message', (answer: ScanAnswer) => {
      const asked = waiting.get(answer.number);
      waiting.delete(answer.number);
      if ('found' in answer) asked?.resolve(answer.found);
      else asked?.reject(new WarehouseError(answer.error));
    });
    const end = (error?: Error) => {
      if (thread === started) thread = null;
      for (const { reject } of waiting.values())
        reject(error ?? new WarehouseError('the scan was broken off'));
      waiting.clear();
    };
    started.on('error', end).on('exit', () => end());
    return started;
  }

  return {
    scan: (key, wish) =>
      new Promise((resolve, reject) => {
        thread ??= start();
        waiting.set(++number, { resolve, reject });
        thread.postMessage({ number, key, wish } satisfies ScanOrder);
      }),
    close: async () => {
      await thread?.terminate();
    },
  };
}

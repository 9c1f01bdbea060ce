/**
 * A second process that shares the work of a large publication, which takes 30 % less time. Not a thread: two connections of one
 * process wait for each other in SQLite's memory.
 */
import { once } from 'node:events';
import { measureDiskSpace } from '../database/files.ts';
import { forkBundle, sendRequest, type Answer } from '../lib/child-process.ts';
import type { PublishRequest } from './publish-request.ts';

export type HelperProcess = ReturnType<typeof createHelperProcess>;

/** About 80,000 videos: for a smaller live file, a second process takes longer to start than it saves. */
const LEAST_BYTES_FOR_HELPER = 64 * 2 ** 20;

/** The second process for a publication of the live file; null if that is small. */
export function startHelper(live: string): HelperProcess | null {
  const { file, wal } = measureDiskSpace(live);
  return file + wal < LEAST_BYTES_FOR_HELPER ? null : createHelperProcess();
}

/**
 * Starts the process. It ends with `close`, or when this process ends. A result is null if the process failed: then the
 * caller does the work itself, and finds the error.
 */
export function createHelperProcess() {
  const child = forkBundle('publishing/child');
  const ended = once(child, 'exit').then(() => ({ ended: 'early' })); // also before a request is sent
  ended.catch(() => undefined);

  function run<Result>(task: string, ...args: unknown[]): Promise<Result | null> {
    return Promise.race([sendRequest<Answer<Result>>(child, { task, args }), ended]).then(
      (answer) => ('result' in answer ? answer.result : null),
      () => null,
    );
  }

  return {
    /** As `buildApart`. */
    fillTables: (request: PublishRequest, file: string) => run<string>('fill-tables', request, file),
    /** As `checkPages`. */
    checkPages: (path: string) => run<string>('check-pages', path),
    close: (): void => void child.kill('SIGKILL'),
  };
}

/**
 * A second process that shares the work of a large publication, which takes 30 % less time. Not a thread: two connections of one
 * process wait for each other in SQLite's memory.
 */
import { once } from 'node:events';
import { forkDist, sendRequest, type Answer } from '../lib/child-process.ts';
import type { ExpectedRows } from './check.ts';
import type { Table } from './mart.ts';
import type { PublishRequest } from './publish-request.ts';

export type HelperProcess = ReturnType<typeof createHelperProcess>;

/** The requests to the process; helper-process-entry.ts answers them. */
export type HelperRequest =
  | { task: 'fill-tables'; request: PublishRequest; file: string }
  | { task: 'check-tables'; path: string; tables: readonly Table[]; expected: ExpectedRows };

/**
 * Starts the process. It ends with `close`, or when this process ends. A result is null if the process failed: then the
 * caller does the work itself, and finds the error.
 */
export function createHelperProcess() {
  const child = forkDist('publishing/helper-process-entry.js');
  const ended = once(child, 'exit').then(() => ({ ended: 'early' })); // also before a request is sent
  ended.catch(() => undefined);

  function run<Result>(request: HelperRequest): Promise<Result | null> {
    return Promise.race([sendRequest<Answer<Result>>(child, request), ended]).then(
      (answer) => ('result' in answer ? answer.result : null),
      () => null,
    );
  }

  return {
    /** As `buildApart`. */
    fillTables: (request: PublishRequest, file: string) =>
      run<string>({ task: 'fill-tables', request, file }),
    /** As `checkTable`, one after the other. Returns each name with its number of rows. */
    checkTables: (path: string, tables: readonly Table[], expected: ExpectedRows) =>
      run<[string, number][]>({ task: 'check-tables', path, tables, expected }),
    close: (): void => void child.kill('SIGKILL'),
  };
}

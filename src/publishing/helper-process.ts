/**
 * What is done beside the process that builds, in a second one: a pass over the live file, and the check of a table. Not in
 * a thread: two connections of one process wait for each other in SQLite's memory, and take longer than one after the other.
 */
import { once } from 'node:events';
import { WarehouseError } from '../lib/errors.ts';
import type { Checked, Expected } from './check.ts';
import { forkDist } from '../lib/child-process.ts';
import type { Table } from './mart.ts';
import type { PublishRequest } from './publish-request.ts';

export interface HelperProcess {
  /** Makes the tables of `TALLIED` and `dates` in a file of their own; gives the fingerprint of the live file it looked at. */
  tally(order: PublishRequest, into: string): Promise<string>;
  /** As `checkTable`. */
  check(path: string, table: Table, expected: Expected): Promise<Checked>;
  close(): void;
}

/** What it is asked to do. */
export type Work =
  | { kind: 'tally'; order: PublishRequest; into: string }
  | { kind: 'check'; path: string; table: Table; expected: Expected };

export type Answer = { result: string | Checked } | { refused: string; hint: string | undefined };

/** Starts the second process; it ends with `close`, or when this process does. */
export function createHelperProcess(): HelperProcess {
  const child = forkDist('publishing/helper-process-entry.js');

  async function ask(work: Work): Promise<string | Checked> {
    const ended = once(child, 'exit').then(() => ({
      refused: 'the process beside was killed',
      hint: undefined,
    }));
    const answered = once(child, 'message').then(([answer]) => answer as Answer);
    child.send(work);
    const answer = await Promise.race([answered, ended]);
    if ('refused' in answer) throw new WarehouseError(answer.refused, { hint: answer.hint });
    return answer.result;
  }

  return {
    tally: async (order, into) => (await ask({ kind: 'tally', order, into })) as string,
    check: async (path, table, expected) => (await ask({ kind: 'check', path, table, expected })) as Checked,
    close: () => child.kill('SIGKILL'),
  };
}

/**
 * What is done beside the process that builds, in a second one: a pass over the live file, and the check of a table. Not in
 * a thread: two connections of one process wait for each other in SQLite's memory, and take longer than one after the other.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import Database from 'better-sqlite3';
import { WarehouseError } from '../../lib/errors.ts';
import { checkTable, type Checked, type Expected } from './check.ts';
import { builtFile } from './built.ts';
import { changeSeq } from './facts.ts';
import { createMovement } from './marts/catalog.ts';
import type { Table } from './mart.ts';

export interface Beside {
  /** Makes the table `movement` in a file of its own, out of a look at the live file; gives the last change it saw. */
  move(live: string, into: string): Promise<number>;
  /** As `checkTable`. */
  check(path: string, table: Table, expected: Expected): Promise<Checked>;
  close(): void;
}

type Work =
  | { kind: 'movement'; live: string; into: string }
  | { kind: 'check'; path: string; table: Table; expected: Expected };

type Answer = { result: number | Checked } | { refused: string; hint: string | undefined };

/** Starts the second process; it ends with `close`, or when this process does. */
export function createBeside(): Beside {
  const child = fork(builtFile('beside.js'), ['beside'], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });

  async function ask(work: Work): Promise<number | Checked> {
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
    move: async (live, into) => (await ask({ kind: 'movement', live, into })) as number,
    check: async (path, table, expected) => (await ask({ kind: 'check', path, table, expected })) as Checked,
    close: () => child.kill('SIGKILL'),
  };
}

function answerTo(work: Work): Answer {
  try {
    return {
      result: work.kind === 'check' ? checkTable(work.path, work.table, work.expected) : makeMovement(work),
    };
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
    return { refused: error.message, hint: error.hint };
  }
}

function makeMovement({ live, into }: { live: string; into: string }): number {
  const db = new Database(into);
  try {
    db.pragma('main.journal_mode = OFF');
    db.pragma('main.synchronous = OFF');
    db.prepare('attach ? as live').run(live);
    db.exec('begin');
    const seen = changeSeq(db);
    db.exec(createMovement('main'));
    db.exec('commit');
    return seen;
  } finally {
    db.close();
  }
}

if (process.argv[2] === 'beside') {
  process.on('message', (work: Work) => process.send?.(answerTo(work)));
}

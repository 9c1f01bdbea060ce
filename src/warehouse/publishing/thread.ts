/** What is done beside the thread that builds: a pass over the live file, and the check of a table. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { WarehouseError } from '../../lib/errors.ts';
import { checkTable, type Checked, type Expected } from './check.ts';
import { changeSeq } from './facts.ts';
import { createMovement } from './marts/catalog.ts';
import type { Table } from './mart.ts';

type Work =
  | { kind: 'movement'; live: string; into: string }
  | { kind: 'check'; path: string; table: Table; expected: Expected };

/** The built file, also where the sources run: Node cannot run TypeScript. */
const BUILT = new URL('../../../dist/warehouse/publishing/thread.js', import.meta.url);

/** Makes the table `movement` in a file of its own, out of a look at the live file; gives the last change it saw. */
export function moveApart(live: string, into: string): Promise<number> {
  return apart<number>({ kind: 'movement', live, into });
}

/** As `checkTable`, in another thread. */
export function checkApart(path: string, table: Table, expected: Expected): Promise<Checked> {
  return apart<Checked>({ kind: 'check', path, table, expected });
}

function apart<T>(workerData: Work): Promise<T> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(BUILT, { workerData, execArgv: [] });
    thread.once('message', (answer: { result: T } | { refused: string; hint: string | undefined }) => {
      if ('result' in answer) resolve(answer.result);
      else reject(new WarehouseError(answer.refused, { hint: answer.hint }));
    });
    thread.once('error', reject);
  });
}

function carryOut(work: Work): unknown {
  return work.kind === 'check' ? checkTable(work.path, work.table, work.expected) : makeMovement(work);
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

if (!isMainThread) {
  try {
    parentPort?.postMessage({ result: carryOut(workerData as Work) });
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
    parentPort?.postMessage({ refused: error.message, hint: error.hint });
  }
}

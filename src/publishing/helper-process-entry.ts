/** The second process: does what it is asked, one after the other, until the first one ends. */
import Database from 'better-sqlite3';
import { toWarehouseError } from '../database/integrity.ts';
import type { Answer, Work } from './helper-process.ts';
import { exitWithParent } from '../lib/child-process.ts';
import { checkTable } from './check.ts';
import { fingerprint } from './fingerprint.ts';
import { attachLive } from './attach-live.ts';
import { createTable } from './mart.ts';
import { dates } from './marts/dates.ts';
import type { PublishRequest } from './publish-request.ts';
import { makeTally } from './movements.ts';

function answerTo(work: Work): Answer {
  try {
    return {
      result:
        work.kind === 'check'
          ? checkTable(work.path, work.table, work.expected)
          : tally(work.order, work.into),
    };
  } catch (error) {
    const { message, hint } = toWarehouseError(error, work.kind === 'check' ? work.path : work.order.live);
    return { refused: message, hint };
  }
}

function tally(order: PublishRequest, into: string): string {
  const db = new Database(into);
  try {
    db.pragma('main.journal_mode = OFF');
    db.pragma('main.synchronous = OFF');
    attachLive(db, order.live);
    db.exec('begin');
    const seen = fingerprint(db, order);
    db.exec(createTable(dates));
    makeTally(db, order, 'main');
    db.exec('commit');
    return seen;
  } finally {
    db.close();
  }
}

exitWithParent();
process.on('message', (work: Work) => {
  const answer = answerTo(work);
  if (process.connected) process.send?.(answer, undefined, undefined, () => undefined); // who asked may be gone
});

import { describe, expect, it } from 'vitest';
import { Database } from '../../src/database/sqlite.ts';
import { addFunctions, attachLive } from '../../src/publishing/build.ts';
import { createTable, fillTable } from '../../src/publishing/marts/mart.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { liveFileWith, packageRow, storageRow, videoRow } from '../support/fixtures/filled-live-file.ts';
import { createPublishRequest } from '../support/fixtures/published-file.ts';

interface Step {
  id: number;
  parent: number;
  detail: string;
}

/**
 * The parts of the statement's plan that scan a table once for each row of another one; empty if there are
 * none.
 */
function scansInsideScans(db: Database, statement: string, parameters: object): string[] {
  const steps = db.prepare(`explain query plan ${statement}`).all(parameters) as Step[];
  const isRepeated = (step: Step | undefined): boolean =>
    step !== undefined &&
    (step.detail.startsWith('CORRELATED') || isRepeated(steps.find(({ id }) => id === step.parent)));
  return steps
    .filter((step) => isLoop(step.detail))
    .filter((step) => {
      const outer = steps.find(({ parent, detail }) => parent === step.parent && isLoop(detail));
      return (outer !== step || isRepeated(step)) && readsTooMuch(step.detail, isRepeated(step));
    })
    .map(({ detail }) => detail);
}

const isLoop = (detail: string) => /^(SCAN|SEARCH) /.test(detail);

/**
 * A search without an index is a scan for the least or the greatest value. A search by the account alone is a
 * scan where there is one account. An automatic index is made once for a statement, which costs as much as a
 * sort of its rows; in a correlated subquery it is made for each row.
 */
function readsTooMuch(detail: string, isRepeated: boolean): boolean {
  if (detail.includes(' VIRTUAL TABLE ')) return false; // the parts of one value
  const isScan = detail.startsWith('SCAN ') || !detail.includes(' USING ');
  return isScan || detail.includes('(account=?)') || (isRepeated && detail.includes('AUTOMATIC'));
}

const marts = createMarts({ durationUnit: 'ms', exclude: [] });
const parameters = { today: '2026-03-10', followed: '["main"]' };

/** A draft with empty tables, with a live file attached. */
function openDraft(): Database {
  const db = new Database(':memory:');
  db.pragma('foreign_keys = off');
  const request = createPublishRequest(
    liveFileWith(packageRow(101), videoRow(1), storageRow('2026-03-01', 1)),
  );
  addFunctions(db, request);
  attachLive(db, request.live);
  for (const table of marts.tables) db.exec(createTable(table));
  for (const table of STATEMENTS.keys()) if (table.kind === 'working') db.exec(createTable(table));
  return db;
}

/** Each table that publishing fills by a statement. */
const STATEMENTS = new Map(marts.filled.map((table) => [table, fillTable(table)]));

describe('the statements that fill a published file', () => {
  it('cover every table that is not filled from values', () => {
    const filled = marts.tables.filter(({ from }) => from !== undefined);
    expect([...STATEMENTS.keys()]).toEqual(expect.arrayContaining(filled));
  });

  it.each([...STATEMENTS].map(([{ name }, statement]) => [name, statement]))(
    'scan no table once for each row of another one: %s',
    (_name, statement) => {
      const db = openDraft();
      try {
        expect(scansInsideScans(db, statement, parameters)).toEqual([]);
      } finally {
        db.close();
      }
    },
  );
});

describe('scansInsideScans', () => {
  it.each([
    ['an inner loop without an index', 'select 1 from a join b on b.x < a.x', ['SCAN b']],
    ['a subquery without an index', 'select (select min(y) from b where b.x = a.x) from a', ['SEARCH b']],
    ['a search', 'select 1 from a cross join k on k.x = a.x', []],
    ['a subquery that searches', 'select (select min(y) from k where k.x = a.x) from a', []],
    ['one after the other', 'select x from a union all select x from b', []],
  ])('finds %s', (_words, statement, found) => {
    const db = new Database(':memory:');
    db.exec(
      'create table a (x); create table b (x, y); create table k (x, y, primary key (x, y)) without rowid',
    );
    expect(scansInsideScans(db, statement, {})).toEqual(found);
    db.close();
  });
});

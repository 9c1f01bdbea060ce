import { Database } from '../../src/database/sqlite.ts';
import { describe, expect, it } from 'vitest';
import { addFunctions, attachLive, listFilled } from '../../src/publishing/build.ts';
import { createTable, fillTable } from '../../src/publishing/marts/mart.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { liveFileWith, packageRow, storageRow, videoRow } from '../support/fixtures/filled-live-file.ts';
import { createPublishRequest } from '../support/fixtures/published-file.ts';
import { scansInsideScans } from '../support/query-plan.ts';

const marts = createMarts({ durationUnit: 'ms', exclude: [] });
const parameters = { offset: null, today: '2026-03-10', followed: '["main"]' };

/** A draft with empty tables, with a live file attached. */
function openDraft(): Database {
  const db = new Database(':memory:');
  db.pragma('foreign_keys = off');
  const request = createPublishRequest(
    liveFileWith(packageRow(101), videoRow(1), storageRow('2026-03-01', 1)),
  );
  addFunctions(db, request);
  attachLive(db, request.live);
  for (const mart of marts.all) if (mart.kind === 'table') db.exec(createTable(mart));
  for (const table of STATEMENTS.keys()) if (table.kind === 'working') db.exec(createTable(table));
  return db;
}

/** Each table that publishing fills by a statement. */
const STATEMENTS = new Map(
  listFilled(marts)
    .filter((table) => table !== marts.dates)
    .map((table) => [table, fillTable(table)]),
);

describe('the statements that fill a published file', () => {
  it('cover every table that is not filled from values', () => {
    const filled = marts.all.filter((mart) => mart.kind === 'table' && mart.from !== null);
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

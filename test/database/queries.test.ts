import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/database/connection.ts';
import { declaredQueries, query } from '../../src/database/query.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

/** Loads each module that declares queries. */
async function loadQueries(): Promise<void> {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(SRC, file))
    .filter((file) => readFileSync(file, 'utf8').includes("database/query.ts'"));
  await Promise.all(files.map((file) => import(pathToFileURL(file).href)));
}

it('every query can be prepared on a new file', async () => {
  await loadQueries();
  const db = openDatabase(join(temporaryFolder(), 'live.db'), 0);
  expect(declaredQueries.length).toBeGreaterThan(50);
  for (const sql of declaredQueries) expect(() => db.$client.prepare(sql), sql).not.toThrow();
  db.$client.close();
});

it('a query takes the parameters that its SQL names, and no other ones', () => {
  const db = openDatabase(join(temporaryFolder(), 'live.db'), 0);
  const add = query<{ sum: number }, { one: number; two: number }>('select :one + :two as sum');
  expect(add.one(db, { one: 1, two: 2 })).toEqual({ sum: 3 });
  const given: object = { one: 1, two: 2, three: 3 };
  expect(() => add.one(db, given as { one: number; two: number })).toThrow('no parameter :three in select');
  expect(() => add.one(db, { one: 1 } as { one: number; two: number })).toThrow(
    'Missing named parameter "two"',
  );
  db.$client.close();
});

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

it('a query is prepared once for each connection, and ignores parameters that it does not name', () => {
  const [one, other] = ['a.db', 'b.db'].map((name) => openDatabase(join(temporaryFolder(), name), 0));
  const select = query<{ sum: number }, { low: number }>('select :low + 1 as sum');
  for (const db of [one, other, one]) {
    expect(db && select.get(db, { low: 1, ids: [1, 2] } as { low: number })).toEqual({ sum: 2 });
  }
  expect(one && select.all(one, { low: 2 })).toEqual([{ sum: 3 }]);
  one?.$client.close();
  other?.$client.close();
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBConnection,
} from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTarget } from '../../src/publishing/targets/load-target.ts';
import { openDuckDb, runDuckDbScript } from '../support/fixtures/lake-rows.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { readQuestions } from '../support/fixtures/questions-page.ts';
import { createLakeConfig } from '../support/fixtures/target-config.ts';
import { makeSandboxHistory, type SandboxHistory } from '../support/models/sandbox-history.ts';

/** A value as SQLite has it. Times are in UTC: the script says so. */
function asInSqlite(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof DuckDBDecimalValue) return Number(value.toString());
  if (value instanceof DuckDBTimestampTZValue) return new DuckDBTimestampValue(value.micros).toString();
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBDateValue) return value.toString();
  return value;
}

describe('a published file and a lake', () => {
  let history: SandboxHistory;
  let db: DuckDBConnection;
  const root = mkdtempSync(join(tmpdir(), 'lake-'));
  beforeAll(async () => {
    history = await makeSandboxHistory();
    const results = await loadTarget({
      ...{ target: createLakeConfig(root), holder: { worker: 'eu-1', instance: 'eu-1' } },
      ...{ file: history.published, accounts: ['main'], verify: [], rebuild: [] },
    });
    expect(results.map(({ outcome, error }) => [outcome, error])).toEqual([
      ['loaded', null],
      ['loaded', null],
    ]);
    db = await openDuckDb();
    expect(await runDuckDbScript(root)).toBe(true);
  });
  afterAll(() => {
    history.close();
    rmSync(root, { recursive: true });
  });

  it.each(readQuestions())('give the same answer: $heading', async ({ sqlite, duckdb }) => {
    const read = await db.runAndReadAll(duckdb);
    const rows = read
      .getRowObjects()
      .map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asInSqlite(value)])),
      );
    expect(rows).toEqual(readRows(history.published, sqlite));
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { openHardAccount, type HardAccount } from '../drivers/hard-account.ts';
import { formatName, readQueries } from '../drivers/recipes.ts';
import { readRows } from '../support/fixtures/live-file.ts';

const QUERIES = readQueries('2026-03-01', '2026-04-01');

describe('docs/recipes.md', () => {
  let account: HardAccount;

  beforeAll(async () => {
    account = await openHardAccount();
    return () => account.close();
  });

  it.each(QUERIES.map((block) => [formatName(block), block.text]))('has rows for %s', (_name, text) => {
    expect(readRows(account.file, text).length).toBeGreaterThan(0);
  });

  it.each(QUERIES.map((block) => [formatName(block), block.text]))(
    'uses no syntax that SQLite 3.31 lacks: %s',
    (_name, text) => {
      const newer = /->|\b(unixepoch|iif|format|concat|string_agg|timediff|returning|materialized)\b/i;
      expect(text).not.toMatch(newer);
    },
  );
});

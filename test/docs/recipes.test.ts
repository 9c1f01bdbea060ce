import { describe, expect, it } from 'vitest';
import { formatName, readQueries } from '../drivers/recipes.ts';

const QUERIES = readQueries('2026-03-01', '2026-04-01');

describe('docs/recipes.md', () => {
  it.each(QUERIES.map((block) => [formatName(block), block.text]))(
    'uses no syntax that SQLite 3.31 lacks: %s',
    (_name, text) => {
      const newer = /->|\b(unixepoch|iif|format|concat|string_agg|timediff|returning|materialized)\b/i;
      expect(text).not.toMatch(newer);
    },
  );
});

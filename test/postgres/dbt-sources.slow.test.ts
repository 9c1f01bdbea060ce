import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadTarget } from '../../src/publishing/load-target.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { makeSandboxHistory } from '../support/models/sandbox-history.ts';
import { findPostgres, postgresForTests } from '../support/servers/postgres.ts';

type DataTest =
  | 'unique'
  | 'not_null'
  | { relationships: { arguments: { to: string; field: string } } }
  | { accepted_values: { arguments: { values: string[] } } };

interface DbtTable {
  name: string;
  config?: { loaded_at_field: string };
  columns: { name: string; data_type: string; data_tests?: DataTest[] }[];
}

const { sources } = parse(readFileSync('deploy/dbt/sources.yml', 'utf8')) as {
  sources: { schema: string; tables: DbtTable[] }[];
};
const tables = sources[0]?.tables ?? [];

/** The rows that fail a test, as dbt selects them. */
function selectFailures(table: string, column: string, test: DataTest): string {
  if (test === 'not_null') return `SELECT 1 FROM ${table} WHERE ${column} IS NULL`;
  if (test === 'unique')
    return `SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL GROUP BY ${column} HAVING count(*) > 1`;
  if ('accepted_values' in test) {
    const values = test.accepted_values.arguments.values.map((value) => `'${value}'`);
    return `SELECT 1 FROM ${table} WHERE ${column}::text NOT IN (${values.join(', ')})`;
  }
  const { to, field } = test.relationships.arguments;
  const [, parent] = /^source\('vodhouse', '(\w+)'\)$/.exec(to) ?? [];
  return `SELECT 1 FROM ${table} c LEFT JOIN vodhouse.${parent} p ON c.${column} = p.${field}
WHERE c.${column} IS NOT NULL AND p.${field} IS NULL`;
}

describe.skipIf(findPostgres() === null)('deploy/dbt/sources.yml', () => {
  const server = postgresForTests();
  let history: Awaited<ReturnType<typeof makeSandboxHistory>>;
  beforeAll(async () => {
    history = await makeSandboxHistory();
    const { published } = history;
    const results = await loadTarget({
      target: createTargetConfig(server.url),
      live: published,
      file: published,
      accounts: [{ name: 'main', was: null }],
      worker: 'eu-1',
      isVerified: false,
      force: null,
    });
    expect(results.map(({ error }) => error)).toEqual([null, null]);
  });
  afterAll(() => history.close());

  it('has the tables, views, columns and types of the schema', async () => {
    const rows = await server.query<{ name: string; columns: string[] }>(
      `SELECT relname AS name, json_agg(attname || ' ' || format_type(atttypid, NULL) ORDER BY attname) AS columns
FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0
WHERE relnamespace = 'vodhouse'::regnamespace AND relkind IN ('r', 'v')
  AND relname NOT IN ('video_history', 'video_edits') GROUP BY 1`, // only views read these
    );
    const described = tables.map(({ name, columns }) => [
      name,
      columns.map((column) => `${column.name} ${column.data_type}`).sort(),
    ]);
    const found = rows.map(({ name, columns }) => [name, columns.sort()]);
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(found));
  });

  const cases = tables.flatMap(({ name, columns }) =>
    columns.flatMap(({ name: column, data_tests: tests = [] }) =>
      tests.map((test) => [`${name}.${column} ${JSON.stringify(test)}`, name, column, test] as const),
    ),
  );

  it('has tests of every kind', () => {
    const kinds = cases.map(([, , , test]) => (typeof test === 'string' ? test : Object.keys(test)[0]));
    expect(new Set(kinds)).toEqual(new Set(['unique', 'not_null', 'relationships', 'accepted_values']));
  });

  it.each(cases)('a loaded schema passes %s', async (_, table, column, test) => {
    expect(await server.query(selectFailures(`vodhouse.${table}`, column, test))).toEqual([]);
  });

  it('measures how fresh it is by the time of a load', async () => {
    const dated = tables.flatMap(({ name, config }) => (config ? [[name, config.loaded_at_field]] : []));
    expect(dated).toHaveLength(1);
    for (const [table, field] of dated)
      expect(
        await server.query(
          `SELECT now() - max(${field}) < interval '1 hour' AS fresh FROM vodhouse.${table}`,
        ),
      ).toEqual([{ fresh: true }]);
  });
});

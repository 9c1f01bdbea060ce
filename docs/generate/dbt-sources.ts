/** deploy/dbt/sources.yml: a schema of PostgreSQL as a source of dbt. `npm run docs` writes it. */
import { stringify } from 'yaml';
import { PARENTS, type Mart } from '../../src/publishing/marts/mart.ts';
import {
  TABLES,
  VIEWS,
  type TargetTable,
  type TargetView,
} from '../../src/publishing/targets/postgres/tables.ts';
import { PUBLISHED } from './tables.ts';

/** A test of dbt by its name, or with its arguments. */
type DataTest = 'unique' | 'not_null' | Readonly<Record<string, { arguments: object }>>;

const HEADING = `# Written by \`npm run docs\`: do not edit. For dbt 1.10.5 or later: copy it into the folder of your models.
`;

/** A new day is published and loaded, even if nothing else changed. */
const FRESHNESS = {
  loaded_at_field: 'loaded_at',
  freshness: {
    warn_after: { count: 26, period: 'hour' },
    error_after: { count: 50, period: 'hour' },
  },
};

/** The whole file. */
export function dbtSources(): string {
  const source = {
    name: 'vodhouse',
    description: 'The published tables of vodhouse in PostgreSQL.',
    schema: 'vodhouse',
    loader: 'vodhouse',
    tables: [...TABLES, ...VIEWS].filter(({ name }) => !isInternal(name)).map(describeTable),
  };
  return (
    HEADING +
    stringify(
      { version: 2, sources: [source] },
      { lineWidth: 0, singleQuote: true, aliasDuplicateObjects: false },
    )
  );
}

/** Only views read it. */
const isInternal = (name: string): boolean =>
  !name.startsWith('vodhouse_') && !PUBLISHED.some((mart) => mart.name === name);

function describeTable(table: TargetTable | TargetView): object {
  const mart = PUBLISHED.find(({ name }) => name === table.name);
  const key = 'key' in table ? table.key : [];
  const keyOfSeveral = key.length > 1 ? ` Key: ${key.join(', ')}.` : '';
  return {
    name: table.name,
    ...(mart ? { description: mart.description + keyOfSeveral } : {}),
    ...(table.name === 'vodhouse_account' ? { config: FRESHNESS } : {}),
    columns: Object.entries(table.columns).map(([name, { type, description }]) => {
      const tests = listTests(name, key, mart);
      return {
        name,
        ...(description === undefined ? {} : { description }),
        data_type: type,
        ...(tests.length === 0 ? {} : { data_tests: tests }),
      };
    }),
  };
}

/** What holds for a column: that it is the key or a part of it, the row that it refers to, and its listed values. */
function listTests(column: string, key: readonly string[], mart: Mart | undefined): DataTest[] {
  const values = mart?.columns.find(({ name }) => name === column)?.values ?? null;
  const parents = mart?.kind === 'table' ? (mart.foreignKeys ?? []).filter((each) => each === column) : [];
  return [
    ...(key.length === 1 && key[0] === column ? (['unique'] as const) : []),
    // a view of several keys may have NULL in one of them
    ...(key.includes(column) && (key.length === 1 || mart?.kind !== 'view') ? (['not_null'] as const) : []),
    ...parents.map((field) => ({
      relationships: { arguments: { to: `source('vodhouse', '${PARENTS[field]}')`, field } },
    })),
    ...(values === null ? [] : [{ accepted_values: { arguments: { values } } }]),
  ];
}

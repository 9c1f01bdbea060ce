/** Makes and extends the schema of a target. The first load does, and it only adds: what readers see is never dropped. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { ConfigError } from '../../../lib/errors.ts';
import type { View } from '../../mart.ts';
import { begin, getAddress, quoteName, quoteNames, type Session } from './session.ts';
import { TABLES, VIEWS, type TargetTable } from './tables.ts';

/** The columns of each table and view of a schema, in their order. */
type Relations = ReadonlyMap<string, readonly string[]>;

/** Null where the schema does not exist. */
async function readRelations(session: Session, schema: string): Promise<Relations | null> {
  const rows = await session.query<{ name: string | null; columns: string[] }>(
    `SELECT c.relname AS name,
  ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum) AS columns
FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'v', 'p', 'f', 'm')
WHERE n.nspname = $1`,
    [schema],
  );
  if (rows.length === 0) return null;
  return new Map(rows.flatMap(({ name, columns }) => (name === null ? [] : [[name, columns]])));
}

/** Throws ConfigError for a schema that is not of vodhouse. */
function assertOurSchema(schema: string, relations: Relations): void {
  const found = TABLES.filter(({ name }) => relations.has(name));
  if (!found[0] || found.some(({ name }) => name.startsWith('vodhouse_'))) return;
  throw new ConfigError(
    `the schema ${schema} has a table ${found[0].name} that vodhouse did not make; nothing was changed`,
    { hint: 'name another schema (publish.targets[].schema)' },
  );
}

/** The statements that add what a schema lacks. Each of them does nothing where it was run before. */
function plan(schema: string, relations: Relations | null): string[] {
  const columnsOf = (name: string) => relations?.get(name) ?? [];
  const tables = TABLES.filter(({ name, columns }) =>
    Object.keys(columns).some((column) => !columnsOf(name).includes(column)),
  );
  const views = VIEWS.flatMap((view) => {
    const existing = columnsOf(view.name);
    const added = view.columns.flatMap(({ name }) => (existing.includes(name) ? [] : [name]));
    // a view keeps its columns and their order; new ones go to its end, as PostgreSQL demands
    return added.length > 0 ? [defineView(schema, view, [...existing, ...added])] : [];
  });
  return [
    ...(relations === null ? [`CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}`] : []),
    ...tables.flatMap((table) => defineTable(schema, table).slice(relations?.has(table.name) ? 1 : 0)),
    ...views,
    ...(relations?.has(FRESHNESS) ? [] : [defineFreshness(schema)]),
  ];
}

/** A changed video fits into the page of its former state, so that no index must be changed. */
const UPDATED = ' WITH (fillfactor = 90)';

/** The first statement makes the table, with its key only; the others add what it lacks. */
function defineTable(schema: string, { name, columns, key, index }: TargetTable): string[] {
  const table = `${quoteName(schema)}.${quoteName(name)}`;
  const define = (names: readonly string[]) =>
    names.map((column) => `${quoteName(column)} ${columns[column]}`);
  const primaryKey = key.length > 0 ? [`PRIMARY KEY (${quoteNames(key)})`] : [];
  const others = define(Object.keys(columns).filter((column) => !key.includes(column)));
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (${[...define(key), ...primaryKey].join(', ')})${name === 'videos' ? UPDATED : ''}`,
    `ALTER TABLE ${table}\n  ${others.map((column) => `ADD COLUMN IF NOT EXISTS ${column}`).join(',\n  ')}`,
    ...(index
      ? [`CREATE INDEX IF NOT EXISTS ${quoteName(`${name}_account`)} ON ${table} (${quoteNames(index)})`]
      : []),
  ];
}

function defineView(schema: string, view: View, columns: readonly string[]): string {
  const where = (view.whereFalse ?? []).map((column) => `not ${column}`).join(' and ');
  const select = view.select.replace(
    /\b(from|join) (\w+)/g,
    (_, word: string, table: string) => `${word} ${quoteName(schema)}.${table}`,
  );
  return `CREATE OR REPLACE VIEW ${quoteName(schema)}.${quoteName(view.name)} AS
SELECT ${quoteNames(columns)} FROM (${select}${where && ` where ${where}`}) AS v`;
}

/** For alarms of readers. */
const FRESHNESS = 'vodhouse_freshness';

const defineFreshness = (schema: string) => `CREATE OR REPLACE VIEW ${quoteName(schema)}.${FRESHNESS} AS
SELECT account, worker, warehouse_id, version, change_seq, published_at, loaded_at,
  extract(epoch FROM now() - loaded_at)::bigint AS loaded_seconds_ago FROM ${quoteName(schema)}.vodhouse_account`;

const READABLE = [...[...TABLES, ...VIEWS].map(({ name }) => name), FRESHNESS];

/** The rights of a reader on tables and views, also on those that are made later. */
function defineGrants(schema: string, reader: string): string[] {
  // `public` is everybody, and no role that could be quoted
  const [prefix, role] = [quoteName(schema), reader === 'public' ? 'PUBLIC' : quoteName(reader)];
  const tables = READABLE.map((name) => `${prefix}.${quoteName(name)}`).join(', ');
  return [
    `GRANT USAGE ON SCHEMA ${prefix} TO ${role}`,
    `GRANT SELECT ON ${tables} TO ${role}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${prefix} GRANT SELECT ON TABLES TO ${role}`,
  ];
}

/** Those who may not use the schema, or not read a table or view of it. */
async function listUnableReaders(session: Session, config: PostgresTargetConfig): Promise<string[]> {
  const rows = await session.query<{ reader: string }>(
    `SELECT r AS reader FROM unnest($1::text[]) r JOIN pg_namespace n ON n.nspname = $2
WHERE NOT has_schema_privilege(r, n.oid, 'USAGE') OR EXISTS (SELECT FROM pg_class c
  WHERE c.relnamespace = n.oid AND c.relname = ANY ($3) AND NOT has_table_privilege(r, c.oid, 'SELECT'))`,
    [config.readers, config.schema, READABLE],
  );
  return rows.map(({ reader }) => reader);
}

/** The statements that the schema needs. Throws ConfigError where no load can go on. */
export async function planSchema(session: Session, config: PostgresTargetConfig): Promise<string[]> {
  const { schema, readers } = config;
  const relations = await readRelations(session, schema);
  assertOurSchema(schema, relations ?? new Map());
  const unable = relations === null ? readers : await listUnableReaders(session, config);
  return [...plan(schema, relations), ...unable.flatMap((reader) => defineGrants(schema, reader))];
}

/** Adds what the schema lacks, in the transaction of the caller. Throws ConfigError as `planSchema`, and what pg throws. */
export async function extendSchema(session: Session, config: PostgresTargetConfig): Promise<void> {
  await session.lock('schema');
  const statements = await planSchema(session, config); // another worker may have been first
  for (const sql of statements) await session.execute(sql);
  // columns that were added have no values: everything is loaded again
  if (statements.some((sql) => sql.startsWith('ALTER TABLE')))
    await session.execute(`UPDATE ${session.name('vodhouse_account')} SET shape = NULL`);
}

/** Begins the transaction of a load. What the schema lacks is added in one of its own before. */
export async function beginLoad(session: Session, config: PostgresTargetConfig): Promise<void> {
  await begin(session, config);
  if ((await planSchema(session, config)).length === 0) return;
  await extendSchema(session, config);
  await session.execute('COMMIT');
  await begin(session, config);
}

/** Everything, for an administrator who makes or extends the schema (`--print-sql`). Run twice, it changes nothing. */
export function formatSchemaSql(config: PostgresTargetConfig): string {
  const { schema, readers } = config;
  const { user, database } = getAddress(config);
  const names = TABLES.map(({ name }) => `${quoteName(schema)}.${quoteName(name)}`).join(', ');
  const statements = [
    ...plan(schema, null),
    `GRANT TEMPORARY ON DATABASE ${quoteName(database)} TO ${quoteName(user)}`,
    `GRANT USAGE ON SCHEMA ${quoteName(schema)} TO ${quoteName(user)}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${names} TO ${quoteName(user)}`,
    ...readers.flatMap((reader) => defineGrants(schema, reader)),
  ];
  return statements.map((statement) => `${statement};\n`).join('\n');
}

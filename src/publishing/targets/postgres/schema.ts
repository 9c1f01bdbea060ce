/** Makes and extends the schema of a target: whoever loads first, and only by adding. What readers see is never dropped. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { ConfigError, errorCode } from '../../../lib/errors.ts';
import { SHAPE } from '../../fingerprint.ts';
import type { View } from '../../mart.ts';
import { getAddress } from './connection-options.ts';
import { begin, quoteName, quoteNames, type Session } from './session.ts';
import { FRESHNESS, TABLES, VIEWS, type TargetColumn, type TargetTable } from './tables.ts';

/** A table or view that exists: its columns in their order, and its primary key. */
interface Relation {
  columns: readonly string[];
  key: readonly string[];
  /** The owner may extend it: it is this user, or a role of this user. */
  isOwn: boolean;
}

export type Relations = ReadonlyMap<string, Relation>;

/** The tables and views of the schema by name; null where the schema does not exist. One query. */
export async function readRelations({ query, schema }: Session): Promise<Relations | null> {
  const rows = await query<{ name: string | null; columns: string[]; key: string[]; is_own: boolean }>(
    `SELECT c.relname AS name, pg_has_role(c.relowner, 'USAGE') AS is_own,
  ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum) AS columns,
  ARRAY(SELECT a.attname::text FROM pg_constraint k CROSS JOIN unnest(k.conkey) WITH ORDINALITY AS p (attnum, position)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.attnum
    WHERE k.conrelid = c.oid AND k.contype = 'p' ORDER BY p.position) AS key
FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'v', 'p', 'f', 'm')
WHERE n.nspname = $1`,
    [schema],
  );
  if (rows.length === 0) return null;
  return new Map(
    rows.flatMap(({ name, columns, key, is_own: isOwn }) =>
      name === null ? [] : [[name, { columns, key, isOwn }]],
    ),
  );
}

/** The facts of `vodhouse_schema`; empty where there is no such table. */
export async function readFacts(session: Session, relations: Relations | null): Promise<Map<string, string>> {
  if (relations?.has('vodhouse_schema') !== true) return new Map();
  const rows = await session.query<{ key: string; value: string }>(
    `SELECT key, value FROM ${session.name('vodhouse_schema')}`,
  );
  return new Map(rows.map(({ key, value }) => [key, value]));
}

/** What no load can go on with, and what to type; null if there is nothing. `timezone`: of the source; null if unknown. */
export function findFlaw(
  schema: string,
  relations: Relations | null,
  facts: ReadonlyMap<string, string>,
  timezone: string | null,
): ConfigError | null {
  const found = TABLES.filter(({ name }) => relations?.has(name));
  if (found[0] && relations?.has('vodhouse_schema') !== true)
    return new ConfigError(
      `the schema ${schema} has a table ${found[0].name} that vodhouse did not make; nothing was changed`,
      { hint: 'name another schema (publish.targets[].schema)' },
    );
  const theirs = facts.get('timezone') ?? timezone;
  if (theirs !== timezone && timezone !== null)
    return new ConfigError(
      `the schema ${schema} has the days of ${theirs}, this warehouse those of ${timezone}`,
      {
        hint: 'name another schema for another calendar (publish.targets[].schema)',
      },
    );
  const keyless = found.find(({ name, key }) => key.join() !== (relations?.get(name)?.key ?? []).join());
  if (!keyless) return null;
  const key = quoteNames(keyless.key);
  const table = `${quoteName(schema)}.${quoteName(keyless.name)}`;
  return new ConfigError(
    `the table ${schema}.${keyless.name} has lost its primary key (${keyless.key.join(', ')})`,
    {
      hint: `ALTER TABLE ${table} ADD PRIMARY KEY (${key}); if its rows do not allow that: DROP TABLE ${table} CASCADE, and vodhouse publish makes and loads it again`,
    },
  );
}

/** What is missing, such as `videos.title`, and the statement that adds it. */
export interface Addition {
  what: string;
  sql: string;
}

/** What is missing; nothing where everything exists. Rights of readers are granted separately. */
export function planAdditions(schema: string, relations: Relations | null): Addition[] {
  const make = { what: `the schema ${schema}`, sql: `CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}` };
  return [
    ...(relations === null ? [make] : []),
    ...TABLES.flatMap((table) => planTable(schema, table, relations?.get(table.name)?.columns)),
    ...VIEWS.flatMap((view) => planView(schema, view, relations?.get(view.name)?.columns)),
    ...(relations?.has(FRESHNESS.name) ? [] : [planFreshness(schema)]),
  ];
}

function planTable(schema: string, table: TargetTable, existing: readonly string[] | undefined): Addition[] {
  const { name, columns, key, index } = table;
  const full = `${quoteName(schema)}.${quoteName(name)}`;
  if (existing) {
    const missing = columns.filter((column) => !existing.includes(column.name));
    if (missing.length === 0) return [];
    const added = missing.map(
      (column) => `ADD COLUMN IF NOT EXISTS ${define({ ...column, isRequired: false })}`,
    );
    const what = missing.map((column) => `${name}.${column.name}`).join(', ');
    return [{ what, sql: `ALTER TABLE ${full} ${added.join(', ')}` }];
  }
  const lines = [...columns.map(define), ...(key.length > 0 ? [`PRIMARY KEY (${quoteNames(key)})`] : [])];
  const indexName = quoteName(`${name}_account`);
  return [
    {
      what: name,
      sql: `CREATE TABLE IF NOT EXISTS ${full} (\n  ${lines.join(',\n  ')}\n)${name === 'videos' ? UPDATED : ''}`,
    },
    ...(index
      ? [
          {
            what: `an index of ${name}`,
            sql: `CREATE INDEX IF NOT EXISTS ${indexName} ON ${full} (${quoteNames(index)})`,
          },
        ]
      : []),
  ];
}

/** A changed video fits into the page of its former state, so that no index must be changed. */
const UPDATED = ' WITH (fillfactor = 90)';

const define = ({ name, type, isRequired }: TargetColumn) =>
  `${quoteName(name)} ${type}${isRequired ? ' NOT NULL' : ''}`;

/** A view keeps its columns and their order; new ones go to its end, as PostgreSQL demands. */
function planView(schema: string, view: View, existing: readonly string[] = []): Addition[] {
  const names = view.columns.map(({ name }) => name);
  const added = names.filter((name) => !existing.includes(name));
  const isNewer = existing.some((name) => !names.includes(name)); // a newer version has made it
  if (added.length === 0 || isNewer) return [];
  const where = (view.whereFalse ?? []).map((column) => `not ${column}`).join(' and ');
  const select = view.select.replace(
    /\b(from|join) (\w+)/g,
    (_, word: string, table: string) => `${word} ${quoteName(schema)}.${table}`,
  );
  const sql = `CREATE OR REPLACE VIEW ${quoteName(schema)}.${quoteName(view.name)} AS
SELECT ${quoteNames([...existing, ...added])} FROM (${select}${where && ` where ${where}`}) AS v`;
  return [{ what: `the view ${view.name}`, sql }];
}

function planFreshness(schema: string): Addition {
  const { name, columns, computed } = FRESHNESS;
  const sql = `CREATE OR REPLACE VIEW ${quoteName(schema)}.${name} AS
SELECT ${quoteNames(columns)}, ${computed.value} AS ${computed.name} FROM ${quoteName(schema)}.vodhouse_account`;
  return { what: `the view ${name}`, sql };
}

const READABLE = [...TABLES, ...VIEWS, FRESHNESS].map(({ name }) => name);

/** The rights of a reader on tables and views, also on those that are made later. */
function planGrants(schema: string, reader: string): string[] {
  const [prefix, role] = [quoteName(schema), toRole(reader)];
  const tables = READABLE.map((name) => `${prefix}.${quoteName(name)}`).join(', ');
  return [
    `GRANT USAGE ON SCHEMA ${prefix} TO ${role}`,
    `GRANT SELECT ON ${tables} TO ${role}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${prefix} GRANT SELECT ON TABLES TO ${role}`,
  ];
}

/** `public` is everybody, and no role that could be quoted. */
const toRole = (name: string) => (name === 'public' ? 'PUBLIC' : quoteName(name));

/** The grants for readers that may not use the schema, or not read a table or view of ours. */
async function planMissingGrants(
  { query }: Session,
  { schema, readers }: PostgresTargetConfig,
  relations: Relations | null,
): Promise<Addition[]> {
  const rows = await query<{ reader: string }>(
    `SELECT r AS reader FROM unnest($1::text[]) r JOIN pg_namespace n ON n.nspname = $2
WHERE NOT has_schema_privilege(r, n.oid, 'USAGE') OR EXISTS (SELECT FROM pg_class c
  WHERE c.relnamespace = n.oid AND c.relname = ANY ($3) AND NOT has_table_privilege(r, c.oid, 'SELECT'))`,
    [readers, schema, READABLE],
  );
  const unable = relations === null ? readers : rows.map(({ reader }) => reader);
  return unable.flatMap((reader) =>
    planGrants(schema, reader).map((sql) => ({ what: `the rights of ${reader}`, sql })),
  );
}

function recordFacts(schema: string, timezone: string): string {
  const literal = `'${timezone.replaceAll("'", "''")}'`;
  return `INSERT INTO ${quoteName(schema)}.vodhouse_schema AS t (key, value) VALUES ('shape', '${SHAPE}'), ('timezone', ${literal})
ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE t.key = 'shape' AND t.value::int < excluded.value::int`;
}

/**
 * Adds what is missing; three cheap queries where nothing is. Throws ConfigError for a schema that cannot be loaded, and what pg
 * throws; then nothing was changed.
 */
export async function ensureSchema(
  session: Session,
  config: PostgresTargetConfig,
  timezone: string,
): Promise<void> {
  if ((await inspect(session, config, timezone)).additions.length === 0) return;
  await begin(session, config);
  await session.execute('SELECT pg_advisory_xact_lock(hashtext($1))', [`vodhouse ${config.schema}`]);
  const { relations, additions } = await inspect(session, config, timezone); // another worker may have been first
  try {
    for (const { sql } of additions) await session.execute(sql);
  } catch (error) {
    throw errorCode(error) === '42501' ? toRightsError(config.schema, additions, error) : error;
  }
  const unable = await planMissingGrants(session, config, relations); // PostgreSQL only warns of rights that it cannot give
  if (relations !== null && unable.length > 0) throw toRightsError(config.schema, unable, null);
  if (
    relations?.has('vodhouse_account') &&
    relations.has('about') &&
    additions.some(({ sql }) => TABLE.test(sql))
  ) {
    // what was added has no rows or values: everything is loaded again
    await session.execute(`UPDATE ${session.name('vodhouse_account')} SET shape = NULL`);
    await session.execute(`DELETE FROM ${session.name('about')} WHERE key = 'publications'`);
  }
  await session.execute('COMMIT');
}

const TABLE = /^(?:CREATE|ALTER) TABLE/;

async function inspect(session: Session, config: PostgresTargetConfig, timezone: string) {
  const { schema } = config;
  const relations = await readRelations(session);
  const facts = await readFacts(session, relations);
  const flaw = findFlaw(schema, relations, facts, timezone);
  if (flaw) throw flaw;
  const isNew = Number(facts.get('shape') ?? 0) < SHAPE;
  const record = isNew ? [{ what: `the shape ${SHAPE}`, sql: recordFacts(schema, timezone) }] : [];
  const grants = await planMissingGrants(session, config, relations);
  return { relations, additions: [...planAdditions(schema, relations), ...record, ...grants] };
}

function toRightsError(schema: string, additions: readonly Addition[], cause: unknown): ConfigError {
  const missing = [...new Set(additions.map(({ what }) => what))].join(', ');
  return new ConfigError(`the schema ${schema} lacks ${missing}, and this user may not add that`, {
    hint: `vodhouse publish --print-sql prints what its owner runs, such as: ${additions[0]?.sql.split('\n')[0]}`,
    cause,
  });
}

/** Everything, for an administrator who makes the schema (`--print-sql`). Run twice, it changes nothing. */
export function formatSchemaSql(config: PostgresTargetConfig, timezone: string): string {
  const { schema, readers } = config;
  const { user, database } = getAddress(config);
  const names = TABLES.map(({ name }) => `${quoteName(schema)}.${quoteName(name)}`).join(', ');
  const statements = [
    ...planAdditions(schema, null).map(({ sql }) => sql),
    recordFacts(schema, timezone),
    `GRANT TEMPORARY ON DATABASE ${quoteName(database)} TO ${quoteName(user)}`,
    `GRANT USAGE ON SCHEMA ${quoteName(schema)} TO ${quoteName(user)}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${names} TO ${quoteName(user)}`,
    ...readers.flatMap((reader) => planGrants(schema, reader)),
  ];
  return statements.map((statement) => `${statement};\n`).join('\n');
}

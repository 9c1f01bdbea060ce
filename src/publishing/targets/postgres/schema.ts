/** Makes and extends the schema of a target. A load adds to it; a rebuild also repairs what was changed. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { ConfigError } from '../../../lib/errors.ts';
import { listDamages, readRelations, type Relation, type Relations } from './relations.ts';
import { begin, getAddress, quoteName, quoteNames, quoteText, type Session } from './session.ts';
import { hasAccount, TABLES, VIEWS, type TargetColumn, type TargetTable, type TargetView } from './tables.ts';

type Form = TargetTable | TargetView;

const FORMS: readonly Form[] = [...TABLES, ...VIEWS];

/** Throws ConfigError for a schema that is not of vodhouse. */
function assertOurSchema(schema: string, relations: Relations): void {
  const found = TABLES.filter(({ name }) => relations.has(name));
  if (!found[0] || found.some(({ name }) => name.startsWith('vodhouse_'))) return;
  throw new ConfigError(
    `the schema ${schema} has a table ${found[0].name} that vodhouse did not make; nothing was changed`,
    { hint: 'name another schema (publish.targets[].schema)' },
  );
}

/** The statements that make a schema complete. */
interface SchemaPlan {
  /** Empty where nothing is missing. A statement that is run again changes nothing. */
  statements: string[];
  /** True where a table gets columns, which have no values yet, or is made again. */
  isTableChanged: boolean;
}

function plan(schema: string, relations: Relations | null): SchemaPlan {
  const find = ({ name }: { name: string }) => relations?.get(name);
  const isDamaged = (form: Form) => {
    const relation = find(form);
    return relation !== undefined && listDamages(form, relation).length > 0;
  };
  const isWhole = (form: Form) =>
    !isDamaged(form) && Object.keys(form.columns).every((column) => column in (find(form)?.columns ?? {}));
  const tables = TABLES.filter((table) => !isWhole(table));
  // a renamed table takes its views with it, so all of them are defined again
  const views = tables.length > 0 || !VIEWS.every(isWhole) ? VIEWS : [];
  const renewed = new Set(FORMS.filter(isDamaged).map(({ name }) => name));
  const comments = FORMS.flatMap((form) =>
    defineComments(schema, form, renewed.has(form.name) ? undefined : find(form)),
  );
  const statements = [
    ...(relations === null ? [`CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}`] : []),
    ...Array.from(
      renewed,
      (name) => `ALTER TABLE ${toPath(schema, name)} RENAME TO ${quoteName(toFormer(name))}`,
    ),
    ...tables.flatMap((table) => [
      // a role without the right to make tables may add columns
      ...(find(table) && !isDamaged(table) ? [] : [createTable(schema, table)]),
      addColumns(schema, table),
    ]),
    ...views.map((view) => {
      // a view keeps its columns and their order; new ones go to its end, as PostgreSQL demands
      const existing = isDamaged(view) ? {} : find(view)?.columns;
      return defineView(schema, view, Object.keys({ ...existing, ...view.columns }));
    }),
    ...TABLES.filter((table) => isDamaged(table) && find(table)?.kind === 'table').flatMap((table) =>
      moveRows(schema, table, find(table)?.columns ?? {}),
    ),
    ...tables.filter(({ index }) => index).map((table) => createIndex(schema, table)),
    ...(comments.length === 0 ? [] : [comments.join(';\n')]),
  ];
  return { statements, isTableChanged: tables.length + renewed.size > 0 };
}

const toPath = (schema: string, name: string): string => `${quoteName(schema)}.${quoteName(name)}`;

/** What was changed or put in the place of a table or view is renamed. */
const toFormer = (name: string): string => `${name}_replaced`;

/** Moves rows that have a key and an account into the new table: other warehouses may load theirs late. */
function moveRows(schema: string, table: TargetTable, former: Relation['columns']) {
  const { name, key, columns } = table;
  const from = toPath(schema, toFormer(name));
  const needed = [...key, ...(hasAccount(table) ? ['account'] : [])];
  const moved = Object.keys(columns).filter((column) => column in former);
  const values = moved.map((column) => `${quoteName(column)}::${columns[column]?.type}`);
  const isFit = needed.map((column) => `${quoteName(column)} IS NOT NULL`).join(' AND ');
  const insert = `INSERT INTO ${toPath(schema, name)} (${quoteNames(moved)})
SELECT ${values.join(', ')} FROM ${from} WHERE ${isFit} ON CONFLICT DO NOTHING`;
  const isMovable = name !== 'vodhouse_load' && needed.every((column) => column in former);
  return [...(isMovable ? [insert] : []), `DROP TABLE ${from}`]; // the server numbers loads from 1 again
}

/** Leaves room in each page for changed rows: one that stays in its page needs no change of an index. */
const WITH_ROOM = ' WITH (fillfactor = 90)';

/** Makes the table, with its key only. */
function createTable(schema: string, { name, columns, key }: TargetTable): string {
  const keys = Object.entries(columns)
    .filter(([column]) => key.includes(column))
    .map(([column, definition]) => defineColumn(column, definition));
  const form = [...keys, `PRIMARY KEY (${quoteNames(key)})`].join(', ');
  const options = name === 'all_videos' ? WITH_ROOM : '';
  return `CREATE TABLE IF NOT EXISTS ${toPath(schema, name)} (${form})${options}`;
}

const defineColumn = (name: string, { type, clause }: TargetColumn): string =>
  [quoteName(name), type, ...(clause === undefined ? [] : [clause])].join(' ');

const createIndex = (schema: string, { name, index = [] }: TargetTable) =>
  `CREATE INDEX IF NOT EXISTS ${quoteName(`${name}_account`)}
  ON ${toPath(schema, name)} (${quoteNames(index)})`;

function addColumns(schema: string, table: TargetTable): string {
  const columns = Object.entries(table.columns).map(
    ([name, column]) => `ADD COLUMN IF NOT EXISTS ${defineColumn(name, column)}`,
  );
  return `ALTER TABLE ${toPath(schema, table.name)}\n  ${columns.join(',\n  ')}`;
}

function defineView(schema: string, { name, selects }: TargetView, columns: readonly string[]): string {
  const rows = selects((table) => toPath(schema, table)).join('\nunion all\n');
  return `CREATE OR REPLACE VIEW ${toPath(schema, name)} AS
SELECT ${quoteNames(columns)} FROM (${rows}) AS v`;
}

/**
 * The comments of a published table or view that differ in the target, or all where it is missing there. Only
 * its owner may comment, so a role that may only load leaves them to `--print-sql`.
 */
function defineComments(schema: string, form: Form, relation: Relation | undefined): string[] {
  if (relation?.isOwned === false) return [];
  const path = toPath(schema, form.name);
  const comment = (on: string, text: string | undefined, before: string | undefined) =>
    text === undefined || text === before ? [] : [`COMMENT ON ${on} IS ${quoteText(text)}`];
  return [
    ...comment(`${'selects' in form ? 'VIEW' : 'TABLE'} ${path}`, form.description, relation?.comments['*']),
    ...Object.entries(form.columns).flatMap(([name, { description }]) =>
      comment(`COLUMN ${path}.${quoteName(name)}`, description, relation?.comments[name]),
    ),
  ];
}

const READABLE = FORMS.map(({ name }) => name);

/** The rights of a reader on tables and views, also on those that are made later. */
function defineGrants(schema: string, reader: string): string[] {
  // PUBLIC is a keyword that means every role, so it is not quoted
  const [prefix, role] = [quoteName(schema), reader === 'public' ? 'PUBLIC' : quoteName(reader)];
  const tables = READABLE.map((name) => toPath(schema, name)).join(', ');
  // pg_dump reads sequences too
  const toRole = quoteText(` TO ${role}`);
  const grantSequence = `'GRANT SELECT ON SEQUENCE ' || ${findSequence(prefix)} || ${toRole}`;
  return [
    `GRANT USAGE ON SCHEMA ${prefix} TO ${role}`,
    `GRANT SELECT ON ${tables} TO ${role}`,
    `DO ${quoteText(`BEGIN EXECUTE ${grantSequence}; END`)}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${prefix} GRANT SELECT ON TABLES TO ${role}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${prefix} GRANT SELECT ON SEQUENCES TO ${role}`,
  ];
}

/** How many changes of a schema are named in a message. */
const MOST_DAMAGES = 5;

/**
 * The sequence of `vodhouse_load`. Its name has to be asked for, because PostgreSQL takes another one while
 * the sequence of a former table has the usual name.
 */
const findSequence = (prefix: string): string =>
  `pg_get_serial_sequence(${quoteText(`${prefix}.vodhouse_load`)}, 'load_id')`;

/** The readers who may not use the schema, or not read a table, view or sequence of it. */
async function listUnableReaders(session: Session, config: PostgresTargetConfig): Promise<string[]> {
  const rows = await session.query<{ reader: string }>(
    `SELECT r AS reader FROM unnest($1::text[]) r JOIN pg_namespace n ON n.nspname = $2
WHERE NOT has_schema_privilege(r, n.oid, 'USAGE') OR EXISTS (SELECT FROM pg_class c
  WHERE c.relnamespace = n.oid AND NOT has_table_privilege(r, c.oid, 'SELECT') AND (c.relname = ANY ($3)
    OR EXISTS (SELECT FROM pg_depend d JOIN pg_class t ON t.oid = d.refobjid
      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i'
        AND c.relkind = 'S' AND t.relname = ANY ($3))))`,
    [config.readers, config.schema, READABLE],
  );
  return rows.map(({ reader }) => reader);
}

/**
 * The statements that the schema needs. Throws ConfigError where no load can go on; `isRebuilt`: what
 * others changed is changed back.
 */
export async function planSchema(
  session: Session,
  config: PostgresTargetConfig,
  isRebuilt = false,
): Promise<SchemaPlan> {
  const { schema, readers } = config;
  const relations = await readRelations(session, schema);
  assertOurSchema(schema, relations ?? new Map());
  const damages = FORMS.flatMap((form) => {
    const relation = relations?.get(form.name);
    return relation ? listDamages(form, relation) : [];
  });
  if (damages.length > 0 && !isRebuilt)
    throw new ConfigError(
      `somebody changed the schema ${schema}: ${damages.slice(0, MOST_DAMAGES).join('; ')}`,
      {
        hint: `${config.command} --rebuild ACCOUNT changes that back`,
      },
    );
  const unable = relations === null ? readers : await listUnableReaders(session, config);
  const { statements, isTableChanged } = plan(schema, relations);
  const grants = unable.flatMap((reader) => defineGrants(schema, reader));
  return { statements: [...statements, ...grants], isTableChanged };
}

/** Adds what the schema lacks, in the caller's transaction. Throws as `planSchema`, and what pg throws. */
export async function extendSchema(
  session: Session,
  config: PostgresTargetConfig,
  isRebuilt = false,
): Promise<void> {
  await session.lock('schema');
  // planned under the lock, because another worker may have been first
  const { statements, isTableChanged } = await planSchema(session, config, isRebuilt);
  for (const sql of statements) await session.execute(sql);
  // an account without a shape is loaded completely
  if (isTableChanged) await session.execute(`UPDATE ${session.name('vodhouse_account')} SET shape = NULL`);
}

/** Begins the transaction of a load. What the schema lacks is added before, in a transaction of its own. */
export async function beginLoad(
  session: Session,
  config: PostgresTargetConfig,
  isRebuilt: boolean,
): Promise<void> {
  await begin(session, config);
  if ((await planSchema(session, config, isRebuilt)).statements.length === 0) return;
  await extendSchema(session, config, isRebuilt);
  await session.execute('COMMIT');
  await begin(session, config);
}

/** All statements, for an administrator (`--print-sql`). Run again, they change nothing. */
export function formatSchemaSql(config: PostgresTargetConfig): string {
  const { schema, readers } = config;
  const { user, database } = getAddress(config);
  const names = TABLES.map(({ name }) => toPath(schema, name)).join(', ');
  const statements = [
    ...plan(schema, null).statements,
    `GRANT TEMPORARY ON DATABASE ${quoteName(database)} TO ${quoteName(user)}`,
    `GRANT USAGE ON SCHEMA ${quoteName(schema)} TO ${quoteName(user)}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${names} TO ${quoteName(user)}`,
    ...readers.flatMap((reader) => defineGrants(schema, reader)),
  ];
  return statements.map((statement) => `${statement};\n`).join('\n');
}

/** Has the user of a target the rights to make its tables, or to load those that exist? */
import { SHAPE } from '../../fingerprint.ts';
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { failed, passed, type CheckRequest, type TargetCheck } from '../check-result.ts';
import { planSchema } from './ddl.ts';
import { quoteName, type Session } from './session.ts';
import { listAllTables } from './state-tables.ts';

/** What the user may do, in one row; of a schema that does not exist, null. */
interface Rights {
  user: string;
  database: string;
  may_create_schema: boolean;
  may_make_temporary: boolean;
  may_use: boolean | null;
  may_create: boolean | null;
}

/** A table or view of the schema. */
interface Relation {
  name: string;
  columns: string[];
  is_table: boolean;
  is_own: boolean;
  /** Of SELECT, INSERT, UPDATE and DELETE, those that the user lacks. */
  lacks: string[];
}

/** One result: the first thing that is missing, or that nothing is. */
export async function checkRights(
  session: Session,
  request: CheckRequest<PostgresTargetConfig>,
): Promise<TargetCheck> {
  const { schema } = request.target;
  const rights = await readRights(session);
  const role = quoteName(rights.user);
  const refuse = (lacking: string, grant: string) =>
    failed(
      'rights',
      `${rights.user} lacks ${lacking}`,
      `${grant}; or vodhouse publish --print-sql, for an administrator`,
    );
  if (!rights.may_make_temporary) {
    const database = quoteName(rights.database);
    return refuse(`TEMPORARY on the database`, `GRANT TEMPORARY ON DATABASE ${database} TO ${role}`);
  }
  if (rights.may_use === null) {
    if (rights.may_create_schema) return passed('rights', `schema ${schema} will be made`);
    const database = quoteName(rights.database);
    return refuse(
      `CREATE on the database, and there is no schema ${schema}`,
      `GRANT CREATE ON DATABASE ${database} TO ${role}`,
    );
  }
  if (!rights.may_use)
    return refuse(`USAGE on schema ${schema}`, `GRANT USAGE ON SCHEMA ${quoteName(schema)} TO ${role}`);
  return checkTables(session, request, rights, refuse);
}

type Refuse = (lacking: string, grant: string) => TargetCheck;

async function checkTables(
  session: Session,
  { target: { schema, readers }, marts, timezone }: CheckRequest<PostgresTargetConfig>,
  rights: Rights,
  refuse: Refuse,
): Promise<TargetCheck> {
  const relations = await readRelations(session);
  const existing = new Map(relations.map(({ name, columns }) => [name, columns]));
  const names = new Set(listAllTables(marts).map(({ name }) => name));
  const tables = relations.filter(({ name, is_table: isTable }) => isTable && names.has(name));
  const prefix = quoteName(schema);
  const role = quoteName(rights.user);
  if (!existing.has('vodhouse_schema') && tables.length > 0)
    return failed(
      'rights',
      `schema ${schema} has a table ${tables[0]?.name} that vodhouse did not make`,
      'name another schema (publish.targets[].schema)',
    );
  const lacking = tables.find(({ lacks }) => lacks.length > 0);
  if (lacking)
    return refuse(
      `${lacking.lacks.join(', ')} on ${schema}.${lacking.name}`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${prefix} TO ${role}`,
    );
  const facts = existing.has('vodhouse_schema') ? await readFacts(session) : new Map<string, string>();
  const theirs = facts.get('timezone') ?? timezone;
  if (theirs !== timezone)
    return failed(
      'rights',
      `schema ${schema} has the days of ${theirs}, this warehouse those of ${timezone}`,
      'name another schema for another calendar (publish.targets[].schema)',
    );
  const missing = planSchema({ schema, marts, readers }, existing);
  const isComplete = missing.length === 0 && Number(facts.get('shape') ?? 0) >= SHAPE;
  if (isComplete) return passed('rights', `all tables of schema ${schema} can be loaded`);
  if (rights.may_create !== true)
    return refuse(
      `CREATE on schema ${schema}, where tables are missing`,
      `GRANT CREATE ON SCHEMA ${prefix} TO ${role}`,
    );
  const foreign = relations.find(({ name, is_own: isOwn }) => !isOwn && names.has(name));
  if (foreign)
    return refuse(
      `the ownership of ${schema}.${foreign.name}, which needs a newer shape`,
      `ALTER TABLE ${prefix}.${quoteName(foreign.name)} OWNER TO ${role}`,
    );
  return passed(
    'rights',
    `${tables.length === 0 ? 'the' : 'missing'} tables of schema ${schema} will be made`,
  );
}

async function readRights(session: Session): Promise<Rights> {
  const row = await session.queryOne<Rights & Record<string, unknown>>(
    `SELECT current_user::text AS user, current_database()::text AS database,
  has_database_privilege(current_database(), 'CREATE') AS may_create_schema,
  has_database_privilege(current_database(), 'TEMPORARY') AS may_make_temporary,
  (SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = $1) AS may_use,
  (SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = $1) AS may_create`,
    [session.schema],
  );
  if (row === null) throw new RangeError('the server has no answer');
  return row;
}

async function readRelations(session: Session): Promise<Relation[]> {
  const { rows } = await session.query<Relation & Record<string, unknown>>(
    `SELECT c.relname::text AS name, c.relkind IN ('r', 'p') AS is_table, pg_has_role(c.relowner, 'USAGE') AS is_own,
  ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attnum) AS columns,
  ARRAY(SELECT p FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p
    WHERE NOT has_table_privilege(c.oid, p)) AS lacks
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'v', 'p', 'f', 'm') ORDER BY c.relname`,
    [session.schema],
  );
  return rows;
}

async function readFacts(session: Session): Promise<Map<string, string>> {
  const { rows } = await session.query<{ key: string; value: string }>(
    `SELECT key, value FROM ${session.name('vodhouse_schema')}`,
  );
  return new Map(rows.map(({ key, value }) => [key, value]));
}

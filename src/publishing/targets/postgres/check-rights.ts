/** Has the user of a target the rights to make its tables, or to load those that exist? */
import { SHAPE } from '../../fingerprint.ts';
import type { PostgresTargetConfig } from '../../../config/config.ts';
import type { Marts } from '../../marts/marts.ts';
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

/** A right that is missing, and the statement that gives it. */
interface Lack {
  what: string;
  grant: string;
}

/** One result: everything that is missing, with the statements that give it, or that nothing is. */
export async function checkRights(
  session: Session,
  request: CheckRequest<PostgresTargetConfig>,
): Promise<TargetCheck> {
  const { schema } = request.target;
  const rights = await readRights(session);
  const relations = rights.may_use === null ? [] : await readRelations(session);
  const own = relations.find(({ name }) => name === 'vodhouse_schema');
  const mayRead = rights.may_use === true && own?.lacks.includes('SELECT') === false;
  const facts = mayRead ? await readFacts(session) : new Map<string, string>();
  const refusal = findRefusal(request, relations, facts);
  if (refusal) return refusal;
  const isShaped = own !== undefined && (!mayRead || Number(facts.get('shape') ?? 0) >= SHAPE);
  const tables = checkTables(request, rights, relations, isShaped);
  const lacks = [...listSchemaLacks(schema, rights), ...tables.lacks];
  if (lacks.length === 0)
    return passed('rights', rights.may_use === null ? `schema ${schema} will be made` : tables.result);
  const grants = lacks.map(({ grant }) => grant).join('; ');
  return failed(
    'rights',
    `${rights.user} lacks ${lacks.map(({ what }) => what).join('; ')}`,
    `${grants}; or vodhouse publish --print-sql, for an administrator`,
  );
}

/** What no right would change: a schema that is not ours, or one of another calendar. */
function findRefusal(
  { target: { schema }, marts, timezone }: CheckRequest<PostgresTargetConfig>,
  relations: readonly Relation[],
  facts: ReadonlyMap<string, string>,
): TargetCheck | null {
  const ours = listOurs(marts, relations).filter(({ is_table: isTable }) => isTable);
  if (ours[0] && !ours.some(({ name }) => name === 'vodhouse_schema'))
    return failed(
      'rights',
      `schema ${schema} has a table ${ours[0].name} that vodhouse did not make`,
      'name another schema (publish.targets[].schema)',
    );
  const theirs = facts.get('timezone') ?? timezone;
  if (theirs === timezone) return null;
  return failed(
    'rights',
    `schema ${schema} has the days of ${theirs}, this warehouse those of ${timezone}`,
    'name another schema for another calendar (publish.targets[].schema)',
  );
}

const listOurs = (marts: Marts, relations: readonly Relation[]): Relation[] => {
  const names = new Set(listAllTables(marts).map(({ name }) => name));
  return relations.filter(({ name }) => names.has(name));
};

function listSchemaLacks(schema: string, rights: Rights): Lack[] {
  const [database, role] = [quoteName(rights.database), quoteName(rights.user)];
  const lacks: Lack[] = [];
  if (!rights.may_make_temporary)
    lacks.push({
      what: 'TEMPORARY on the database',
      grant: `GRANT TEMPORARY ON DATABASE ${database} TO ${role}`,
    });
  if (rights.may_use === null && !rights.may_create_schema)
    lacks.push({
      what: `CREATE on the database, and there is no schema ${schema}`,
      grant: `GRANT CREATE ON DATABASE ${database} TO ${role}`,
    });
  if (rights.may_use === false)
    lacks.push({
      what: `USAGE on schema ${schema}`,
      grant: `GRANT USAGE ON SCHEMA ${quoteName(schema)} TO ${role}`,
    });
  return lacks;
}

/** What is missing to load the tables that exist, and to make the others. */
function checkTables(
  { target: { schema, readers }, marts }: CheckRequest<PostgresTargetConfig>,
  rights: Rights,
  relations: readonly Relation[],
  isShaped: boolean,
): { lacks: Lack[]; result: string } {
  const [prefix, role] = [quoteName(schema), quoteName(rights.user)];
  const ours = listOurs(marts, relations);
  const lacks: Lack[] = [];
  const lacking = ours.filter((each) => each.is_table && each.lacks.length > 0);
  if (lacking.length > 0)
    lacks.push({
      what: `${[...new Set(lacking.flatMap((each) => each.lacks))].join(', ')} on ${lacking.length} tables of schema ${schema}`,
      grant: `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${prefix} TO ${role}`,
    });
  const existing = new Map(relations.map(({ name, columns }) => [name, columns]));
  if (rights.may_use === null) return { lacks, result: '' };
  if (isShaped && planSchema({ schema, marts, readers }, existing).length === 0)
    return { lacks, result: `all tables of schema ${schema} can be loaded` };
  if (rights.may_create !== true)
    lacks.push({
      what: `CREATE on schema ${schema}, where tables are missing`,
      grant: `GRANT CREATE ON SCHEMA ${prefix} TO ${role}`,
    });
  for (const { name } of ours.filter(({ is_own: isOwn }) => !isOwn))
    lacks.push({
      what: `the ownership of ${schema}.${name}, which needs a newer shape`,
      grant: `ALTER TABLE ${prefix}.${quoteName(name)} OWNER TO ${role}`,
    });
  const which = ours.length === 0 ? 'the' : 'missing';
  return { lacks, result: `${which} tables of schema ${schema} will be made` };
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

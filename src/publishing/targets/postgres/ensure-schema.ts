/** Brings the schema of a target up to this version: once, by whoever comes first, and only by adding. */
import { setTimeout } from 'node:timers/promises';
import { ConfigError, errorCode, errorLine } from '../../../lib/errors.ts';
import { SHAPE } from '../../fingerprint.ts';
import {
  listReadable,
  planGrants,
  planSchema,
  planTriggers,
  recordShape,
  type Existing,
  type SchemaPlan,
} from './ddl.ts';
import { quoteName, quoteNames, type Session } from './session.ts';
import { listAllTables } from './state-tables.ts';
import { listTargetTables, listViews, type TargetTable } from './tables.ts';

/** Columns by table that the target has. */
export type TargetColumns = Existing;

const TRIES = 10;
const LOCK_TIMEOUT_MS = 2_000;

export interface EnsuredSchema {
  columns: TargetColumns;
  /** Columns and views that could not be added, such as `videos.title`. */
  missing: string[];
  /** Why: a long query holds the tables, or another role owns them. */
  because: 'locked' | 'not_owner' | null;
  /** What somebody had dropped, such as `videos.title`: it was made again, and everything is loaded again. */
  restored: string[];
}

/**
 * Makes what is missing, if anything is. A table that a long query reads, or that another role owns, gets its new columns
 * later: `missing` names them.
 * Throws ConfigError for a schema with tables that vodhouse did not make, or with another calendar, and what pg throws.
 */
export async function ensureSchema(
  session: Session,
  plan: SchemaPlan,
  timezone: string,
): Promise<EnsuredSchema> {
  await assertServer(session);
  for (const reader of plan.readers.filter((name) => name !== 'public')) await assertRole(session, reader);
  let restored: string[] = [];
  for (let tries = 1; ; tries++) {
    const existing = await readExisting(session);
    if (existing) assertOurs(plan, existing);
    const shape = existing?.has('vodhouse_schema') ? await readShape(session, plan, timezone) : 0;
    const isComplete = existing !== null && planSchema(plan, existing).length === 0;
    if (isComplete && (await isSetUp(session, plan, shape)))
      return { columns: existing, missing: [], because: null, restored };
    try {
      restored = await makeMissing(session, plan, timezone);
    } catch (error) {
      await session.execute('ROLLBACK');
      const because = toReason(error);
      if (because === null) throw error;
      const isKeyless = (await listKeyless(session, plan)).length > 0;
      const missing = existing === null || isKeyless ? null : findMissing(plan, existing);
      const isLast = because === 'not_owner' || tries === TRIES;
      if (isLast && existing !== null && missing !== null) {
        const others = because === 'not_owner' ? listOlder(plan, existing, shape) : []; // for the owner, who must know all
        return { columns: existing, missing: [...missing, ...others], because, restored };
      }
      if (isLast) throw error;
      await setTimeout(100 + Math.random() * 400);
    }
  }
}

/** Why the schema could not be changed; null for what no load can go on without. */
function toReason(error: unknown): EnsuredSchema['because'] {
  const code = errorCode(error);
  if (code === '42501') return 'not_owner';
  return code === '55P03' || code === '40P01' ? 'locked' : null;
}

/** The oldest version of PostgreSQL with everything that the tables need. */
const OLDEST_VERSION = 14;

/** Throws ConfigError for a server or a database that cannot be a target. */
export function assertUsable({ version, encoding }: { version: number; encoding: string }): void {
  if (version < OLDEST_VERSION * 10_000)
    throw new ConfigError(`the server is PostgreSQL ${Math.floor(version / 10_000)}`, {
      hint: `a target needs PostgreSQL ${OLDEST_VERSION} or later`,
    });
  if (encoding !== 'UTF8')
    throw new ConfigError(`the database has the encoding ${encoding}, which cannot hold every text`, {
      hint: "name another database in `postgres:`; CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0 makes one",
    });
}

async function assertServer(session: Session): Promise<void> {
  const row = await session.queryOne<{ version: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding`,
  );
  if (row) assertUsable(row);
}

async function assertRole(session: Session, reader: string): Promise<void> {
  const row = await session.queryOne('SELECT 1 AS one FROM pg_roles WHERE rolname = $1', [reader]);
  if (row) return;
  throw new ConfigError(`the role ${reader} does not exist`, {
    hint: `CREATE ROLE ${quoteName(reader)} LOGIN; or correct \`readers:\` of the target`,
  });
}

/** Null where the schema does not exist. */
async function readExisting(session: Session): Promise<Existing | null> {
  const { rows } = await session.query<{ name: string | null; columns: string[] }>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attname IS NOT NULL) AS columns
FROM pg_namespace n
LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'v', 'p', 'f', 'm')
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE n.nspname = $1 GROUP BY c.relname`,
    [session.schema],
  );
  if (rows.length === 0) return null;
  return new Map(rows.flatMap(({ name, columns }) => (name === null ? [] : [[name, columns]])));
}

/** Throws ConfigError if the schema has tables of our names and none of our own. */
function assertOurs({ schema, marts }: SchemaPlan, existing: Existing): void {
  if (existing.has('vodhouse_schema')) return;
  const foreign = listAllTables(marts).find(({ name }) => existing.has(name));
  if (!foreign) return;
  throw new ConfigError(
    `the schema ${schema} has a table ${foreign.name} that vodhouse did not make; nothing was changed`,
    { hint: 'name another schema (publish.targets[].schema)' },
  );
}

/** What a load can go on without; null where whole tables are missing, or columns of those that keep how far loads are. */
function findMissing({ marts }: SchemaPlan, existing: Existing): string[] | null {
  const tables = listAllTables(marts);
  if (tables.some(({ name }) => !existing.has(name))) return null;
  const published = listTargetTables(marts).map(({ name }) => name);
  const missing = tables.flatMap(({ name: table, columns }) =>
    columns.flatMap(({ name }) => (existing.get(table)?.includes(name) ? [] : [{ table, name }])),
  );
  if (missing.some(({ table }) => table.startsWith('vodhouse_') && !table.startsWith('vodhouse_lost_')))
    return null;
  return missing.flatMap(({ table, name }) => (published.includes(table) ? [`${table}.${name}`] : []));
}

/** Views and triggers that are not those of this version. */
function listOlder({ marts }: SchemaPlan, existing: Existing, shape: number): string[] {
  const views = listViews(marts).flatMap(({ name, columns }) =>
    columns.every((column) => existing.get(name)?.includes(column.name)) ? [] : [name],
  );
  return [...views, ...(shape < SHAPE ? [`shape ${SHAPE}`] : [])];
}

/** The shape of the tables, 0 if it is unknown. Throws ConfigError for another calendar. */
async function readShape(session: Session, { schema }: SchemaPlan, timezone: string): Promise<number> {
  const { rows } = await session.query<{ key: string; value: string }>(
    `SELECT key, value FROM ${session.name('vodhouse_schema')}`,
  );
  const facts = new Map(rows.map(({ key, value }) => [key, value]));
  const theirs = facts.get('timezone');
  if (theirs !== undefined && theirs !== timezone)
    throw new ConfigError(
      `the schema ${schema} has the days of ${theirs}, this warehouse those of ${timezone}`,
      { hint: 'name another schema for another calendar (publish.targets[].schema)' },
    );
  return Number(facts.get('shape') ?? 0);
}

/** Are keys, triggers and rights those of this version? */
async function isSetUp(session: Session, plan: SchemaPlan, shape: number): Promise<boolean> {
  const mayRead = await Promise.all(plan.readers.map((reader) => canRead(session, plan, reader)));
  return shape >= SHAPE && !mayRead.includes(false) && (await listKeyless(session, plan)).length === 0;
}

async function canRead(session: Session, plan: SchemaPlan, reader: string): Promise<boolean> {
  const row = await session.queryOne<{ can_read: boolean | null }>(
    `SELECT has_schema_privilege($1, oid, 'USAGE') AS can_read FROM pg_namespace WHERE nspname = $2`,
    [reader, session.schema],
  );
  return row?.can_read === true && (await listUnreadable(session, plan, reader)).length === 0;
}

/** Of our tables and views, those that a reader may not read. */
async function listUnreadable(session: Session, plan: SchemaPlan, reader: string): Promise<string[]> {
  const { rows } = await session.query<{ name: string }>(
    `SELECT c.relname::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $2 AND c.relname = ANY ($3) AND c.relkind IN ('r', 'v', 'p') AND NOT has_table_privilege($1, c.oid, 'SELECT')
ORDER BY 1`,
    [reader, session.schema, listReadable(plan)],
  );
  return rows.map(({ name }) => name);
}

/** Throws ConfigError for rights that this role cannot give: PostgreSQL warns of some, and refuses others. */
async function grantRead(session: Session, plan: SchemaPlan, reader: string): Promise<void> {
  if (await canRead(session, plan, reader)) return;
  const { schema } = plan;
  const grants = planGrants(schema, reader, await listUnreadable(session, plan, reader));
  try {
    for (const statement of grants) await session.execute(statement);
    if (await canRead(session, plan, reader)) return;
  } catch (error) {
    if (errorCode(error) !== '42501') throw error;
  }
  throw new ConfigError(
    `${reader} of \`readers:\` may not read the schema ${schema}, which another role owns`,
    { hint: `as its owner: ${grants.slice(0, 2).join('; ')}` },
  );
}

/** Our tables that have no primary key any more. */
async function listKeyless({ schema, query }: Session, { marts }: SchemaPlan): Promise<TargetTable[]> {
  const { rows } = await query<{ name: string }>(
    `SELECT c.relname::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
  AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p')`,
    [schema],
  );
  return listAllTables(marts).filter(
    ({ name, key }) => key.length > 0 && rows.some((row) => row.name === name),
  );
}

/** Throws ConfigError where the rows, or missing rights, do not allow it. */
async function addKey(session: Session, { name, key }: TargetTable): Promise<void> {
  const table = session.name(name);
  const statement = `ALTER TABLE ${table} ADD PRIMARY KEY (${quoteNames(key)})`;
  try {
    await session.execute(statement);
  } catch (error) {
    const code = errorCode(error);
    if (!['42501', '23505', '23502'].includes(code)) throw error;
    throw new ConfigError(
      `${name} has lost its primary key, which cannot be made again: ${errorLine(error)}`,
      {
        hint:
          code === '42501'
            ? `as its owner: ${statement}`
            : `DELETE FROM ${table}; then vodhouse publish loads its rows again`,
      },
    );
  }
}

/** Tables, columns and keys that somebody dropped, of a schema that was complete. */
function listLost({ marts }: SchemaPlan, existing: Existing, keyless: readonly TargetTable[]): string[] {
  const lost = listTargetTables(marts).flatMap(({ name, columns }) => {
    const theirs = existing.get(name);
    if (!theirs) return [name];
    return columns.flatMap((column) => (theirs.includes(column.name) ? [] : [`${name}.${column.name}`]));
  });
  return [...lost, ...keyless.map(({ name }) => `the primary key of ${name}`)];
}

/** Returns what somebody had dropped: it comes back without its values, so everything is loaded again. */
async function makeMissing(session: Session, plan: SchemaPlan, timezone: string): Promise<string[]> {
  const { schema } = plan;
  await session.execute('BEGIN');
  await session.execute(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await session.execute('SELECT pg_advisory_xact_lock(hashtext($1))', [`vodhouse ${schema}`]);
  const existing = await readExisting(session); // another worker may have been first
  const shape = existing?.has('vodhouse_schema') ? await readShape(session, plan, timezone) : 0;
  const keyless = existing === null ? [] : await listKeyless(session, plan);
  const lost = existing === null || shape < SHAPE ? [] : listLost(plan, existing, keyless);
  for (const statement of planSchema(plan, existing)) await session.execute(statement);
  for (const table of keyless) await addKey(session, table);
  if (shape < SHAPE) for (const statement of planTriggers(plan)) await session.execute(statement);
  for (const reader of plan.readers) await grantRead(session, plan, reader);
  if (shape < SHAPE) await session.execute(recordShape(schema, timezone));
  if (lost.length > 0) {
    const account = session.name('vodhouse_account');
    await session.execute(`UPDATE ${account} SET status = 'unverified' WHERE status IS NULL`);
    await session.execute(`UPDATE ${session.name('vodhouse_warehouse')} SET timeline = NULL`);
  }
  await session.execute('COMMIT');
  return lost;
}

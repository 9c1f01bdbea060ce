/** Every account of a target, as the target's own tables know it: read only, for a reader, without a config. */
import type { PostgresTargetConfig } from '../../../config/config.ts';
import { ConfigError } from '../../../lib/errors.ts';
import type { FleetAccount } from '../../../lib/fleet.ts';
import { toUtcText } from './claim.ts';
import { quoteName, withSession, type Session } from './session.ts';

/**
 * Reads all accounts of a target, sorted by name. Throws ConfigError for a schema that has no tables of vodhouse, or that this
 * user may not read, and what pg throws.
 */
export function readFleet(target: PostgresTargetConfig, deadlineMs: number): Promise<FleetAccount[]> {
  return withSession(target, deadlineMs, async (session) => {
    await session.execute('BEGIN READ ONLY');
    await session.setLocal({ statement_timeout: deadlineMs, timezone: 'UTC' });
    const readable = await findReadable(session);
    const { rows } = await session.query<FleetRow>(selectAccounts(session, readable));
    await session.execute('ROLLBACK');
    return rows.map(toAccount);
  });
}

const TABLES = ['vodhouse_account', 'vodhouse_load', 'vodhouse_warehouse', 'vodhouse_freshness'];

/** Our tables and views that this user may read. Throws ConfigError where that is not enough. */
async function findReadable(session: Session): Promise<ReadonlySet<string>> {
  const { schema } = session;
  const { rows } = await session.query<{ name: string | null; may_use: boolean; may_read: boolean | null }>(
    `SELECT c.relname AS name, has_schema_privilege(n.oid, 'USAGE') AS may_use, has_table_privilege(c.oid, 'SELECT') AS may_read
FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = ANY ($2)
WHERE n.nspname = $1`,
    [schema, TABLES],
  );
  const [first] = rows;
  if (!first)
    throw new ConfigError(`the database has no schema ${schema}`, {
      hint: 'name the one of the workers: --schema NAME (publish.targets[].schema; vodhouse without it)',
    });
  const known = rows.flatMap(({ name }) => name ?? []);
  if (!known.includes('vodhouse_account'))
    throw new ConfigError(`the schema ${schema} has no tables of vodhouse`, {
      hint: 'the first load makes them; or name another one: --schema NAME',
    });
  const readable = rows.flatMap(({ name, may_use, may_read }) =>
    name !== null && may_use && may_read ? name : [],
  );
  if (readable.includes('vodhouse_account') || readable.includes('vodhouse_freshness'))
    return new Set(readable);
  const view = `${quoteName(schema)}.vodhouse_freshness`;
  throw new ConfigError(`this user may not read the tables of the schema ${schema}`, {
    hint: `name it under \`readers:\` of the target; or, as the owner: GRANT USAGE ON SCHEMA ${quoteName(schema)} TO …; GRANT SELECT ON ${view} TO …`,
  });
}

type Times = 'lease_until' | 'renewed_at' | 'published_at' | 'loaded_at' | 'verified_at';
type FleetRow = Record<Times, string | null> & {
  account: string;
  worker: string;
  warehouse_id: string | null;
  version: string | null;
  is_held: boolean;
  published_seconds_ago: string | null;
  status: string;
  change_seq: string | null;
  last_load: string | null;
  last_rows: string | null;
};

/** `vodhouse_freshness` alone is enough; it does not know the warehouses. */
function selectAccounts(session: Session, readable: ReadonlySet<string>): string {
  const has = (table: string) => readable.has(table);
  const isWhole = has('vodhouse_account');
  const loads = isWhole && has('vodhouse_load');
  const warehouses = isWhole && has('vodhouse_warehouse');
  const times: Times[] = ['lease_until', 'renewed_at', 'published_at', 'loaded_at', 'verified_at'];
  return `SELECT a.account, a.worker, a.lease_until > now() AS is_held, coalesce(a.status, 'ok') AS status, a.change_seq,
  ${times.map((name) => `${toUtcText(`a.${name}`)} AS ${name}`).join(', ')},
  CASE WHEN a.published_at IS NOT NULL THEN greatest(0, extract(epoch FROM now() - a.published_at))::bigint END
    AS published_seconds_ago,
  ${isWhole ? 'a.warehouse_id' : 'NULL'} AS warehouse_id, ${warehouses ? 'w.version' : 'NULL'} AS version,
  ${loads ? 'l.kind AS last_load, l.rows AS last_rows' : 'NULL AS last_load, NULL AS last_rows'}
FROM ${session.name(isWhole ? 'vodhouse_account' : 'vodhouse_freshness')} a
${warehouses ? `LEFT JOIN ${session.name('vodhouse_warehouse')} w USING (warehouse_id)` : ''}
${loads ? `LEFT JOIN ${session.name('vodhouse_load')} l ON l.load_id = a.load_id` : ''}
ORDER BY a.account`;
}

const toNumber = (text: string | null) => (text === null ? null : Number(text));

const toAccount = (row: FleetRow): FleetAccount => ({
  ...{ account: row.account, worker: row.worker, warehouseId: row.warehouse_id, version: row.version },
  ...{ isHeld: row.is_held, status: row.status, leaseUntil: row.lease_until, renewedAt: row.renewed_at },
  ...{ publishedAt: row.published_at, loadedAt: row.loaded_at, verifiedAt: row.verified_at },
  publishedSecondsAgo: toNumber(row.published_seconds_ago),
  changeSeq: toNumber(row.change_seq),
  ...{ lastLoad: row.last_load, lastRows: toNumber(row.last_rows) },
});

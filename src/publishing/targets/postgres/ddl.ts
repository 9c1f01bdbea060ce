/** The statements that make the schema of a target. All of them only add: what readers see is never dropped or renamed. */
import type { Table, View } from '../../mart.ts';
import { SHAPE } from '../../fingerprint.ts';
import { createMarts, type Marts } from '../../marts/marts.ts';
import { listExcludedColumns, listFigures } from '../shipped-tables.ts';
import { quoteName, quoteNames } from './session.ts';
import { listAllTables } from './state-tables.ts';
import { listViews, type TargetColumn, type TargetTable } from './tables.ts';

/** The columns of each table and view that exist, in their order. */
export type Existing = ReadonlyMap<string, readonly string[]>;

/** What is to be made in a schema, and for whom. */
export interface SchemaPlan {
  schema: string;
  marts: Marts;
  /** Roles that may read. */
  readers: readonly string[];
}

/** The statements that are missing; none where everything exists. Readers are granted their rights separately. */
export function planSchema({ schema, marts }: SchemaPlan, existing: Existing | null): string[] {
  const found = existing ?? new Map<string, string[]>();
  return [
    ...(existing === null ? [`CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}`] : []),
    ...listAllTables(marts).flatMap((table) => planTable(schema, table, found.get(table.name))),
    ...listViews(toWidest(marts, found)).flatMap((view) => planView(schema, view, found.get(view.name))),
    ...(found.has('vodhouse_freshness') ? [] : [createFreshnessView(schema)]),
  ];
}

/** The marts with every column of videos that the target has or gets: another warehouse may leave out others. */
function toWidest(marts: Marts, existing: Existing): Marts {
  const isThere = ({ name: table, columns }: Table, name: string) =>
    columns.some((column) => column.name === name) || existing.get(table)?.includes(name) === true;
  const exclude = listExcludedColumns(marts.videos).filter(
    (name) => !isThere(marts.videos, name) || !isThere(marts.videoHistory, name),
  );
  return createMarts({ durationUnit: 'ms', exclude });
}

function planTable(schema: string, table: TargetTable, existing: readonly string[] | undefined): string[] {
  const name = `${quoteName(schema)}.${quoteName(table.name)}`;
  if (!existing) {
    const key = table.key.length > 0 ? [`PRIMARY KEY (${quoteNames(table.key)})`] : [];
    const lines = [...table.columns.map(toDefinition), ...key];
    return [
      `CREATE TABLE IF NOT EXISTS ${name} (\n  ${lines.join(',\n  ')}\n)${table.name === 'videos' ? UPDATED : ''}`,
      ...planIndexes(schema, table),
    ];
  }
  const missing = table.columns.filter((column) => !existing.includes(column.name));
  if (missing.length === 0) return [];
  const added = missing.map(
    (column) => `ADD COLUMN IF NOT EXISTS ${toDefinition({ ...column, isRequired: false })}`,
  );
  return [`ALTER TABLE ${name} ${added.join(', ')}`];
}

/** A changed video finds room in the page of its former state: no index needs to be told. */
const UPDATED = ' WITH (fillfactor = 90)';

const toDefinition = ({ name, type, isRequired }: TargetColumn) =>
  `${quoteName(name)} ${type}${isRequired ? ' NOT NULL' : ''}`;

/** Beside the keys: what each load looks for. */
function planIndexes(schema: string, { name }: TargetTable): string[] {
  const columns = {
    video_tags: ['account', 'package_id', 'video_id'],
    vodhouse_load: ['account', 'load_id'],
  }[name];
  if (!columns) return [];
  return [
    `CREATE INDEX IF NOT EXISTS ${quoteName(`${name}_account`)} ON ${quoteName(schema)}.${quoteName(name)} (${quoteNames(columns)})`,
  ];
}

/** A view keeps its columns and their order; new ones go to its end, as PostgreSQL asks. */
function planView(schema: string, view: View, existing: readonly string[] = []): string[] {
  const names = view.columns.map(({ name }) => name);
  const added = names.filter((name) => !existing.includes(name));
  const isUnknown = existing.some((name) => !names.includes(name));
  if (added.length === 0 || isUnknown) return []; // a newer version, or another config, has made it
  const where = (view.whereFalse ?? []).map((column) => `not ${column}`).join(' and ');
  return [
    `CREATE OR REPLACE VIEW ${quoteName(schema)}.${quoteName(view.name)} AS
SELECT ${quoteNames([...existing, ...added])} FROM (${qualify(view.select, schema)}${where && ` where ${where}`}) AS v`,
  ];
}

/** Puts the schema before the tables of a SELECT of ours. */
const qualify = (select: string, schema: string) =>
  select.replace(
    /\b(from|join) (\w+)/g,
    (_, word: string, table: string) => `${word} ${quoteName(schema)}.${table}`,
  );

/** For readers' own alarms. */
function createFreshnessView(schema: string): string {
  const prefix = quoteName(schema);
  return `CREATE OR REPLACE VIEW ${prefix}.vodhouse_freshness AS
SELECT account, worker, lease_until > now() AS is_held, lease_until, renewed_at, published_at, loaded_at, verified_at,
  change_seq, coalesce(status, 'ok') AS status,
  extract(epoch from now() - loaded_at)::bigint AS loaded_seconds_ago,
  extract(epoch from now() - renewed_at)::bigint AS renewed_seconds_ago
FROM ${prefix}.vodhouse_account`;
}

/** The functions and triggers that keep booked days. Run again for a newer shape. */
export function planTriggers({ schema, marts }: SchemaPlan): string[] {
  const prefix = quoteName(schema);
  const figures = listFigures(marts.storageDaily);
  const row = (record: string) => `(${figures.map(({ name }) => `${record}.${quoteName(name)}`).join(', ')})`;
  const table = `${prefix}.storage_daily`;
  return [
    `CREATE OR REPLACE FUNCTION ${prefix}.vodhouse_keep_booked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF tg_op = 'TRUNCATE' THEN
    RAISE EXCEPTION 'storage_daily has booked days: they are never deleted' USING ERRCODE = '23001';
  END IF;
  IF old.state <> 'booked' OR current_setting('vodhouse.rebuild', true) = old.account THEN
    IF tg_op = 'DELETE' THEN RETURN old; ELSE RETURN new; END IF;
  END IF;
  IF tg_op = 'UPDATE' AND new.state = 'booked' AND new.account = old.account AND new.day = old.day
    AND (${row('new')} IS NOT DISTINCT FROM ${row('old')}
      OR new.is_corrected AND EXISTS (SELECT FROM ${prefix}.storage_corrections c
        WHERE c.account = new.account AND c.day = new.day AND c.accepted_at = new.observed_at))
  THEN RETURN new; END IF;
  RAISE EXCEPTION 'the storage of % on % is booked: it never changes', old.account, old.day USING ERRCODE = '23001';
END $$`,
    `CREATE OR REPLACE TRIGGER vodhouse_keep_booked BEFORE UPDATE OR DELETE ON ${table}
FOR EACH ROW EXECUTE FUNCTION ${prefix}.vodhouse_keep_booked()`,
    `CREATE OR REPLACE TRIGGER vodhouse_refuse_truncate BEFORE TRUNCATE ON ${table}
FOR EACH STATEMENT EXECUTE FUNCTION ${prefix}.vodhouse_keep_booked()`,
  ];
}

/** The tables and views that readers may read. A schema may have others: those of its users. */
export const listReadable = ({ marts }: Pick<SchemaPlan, 'marts'>): string[] => [
  ...listAllTables(marts).map(({ name }) => name),
  ...listViews(marts).map(({ name }) => name),
  'vodhouse_freshness',
];

/** The rights of a reader on tables and views, also on those that are made later. */
export function planGrants(schema: string, reader: string, names: readonly string[]): string[] {
  const [prefix, role] = [quoteName(schema), quoteName(reader)];
  const tables = names.map((name) => `${prefix}.${quoteName(name)}`).join(', ');
  return [
    `GRANT USAGE ON SCHEMA ${prefix} TO ${role}`,
    ...(names.length > 0 ? [`GRANT SELECT ON ${tables} TO ${role}`] : []),
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${prefix} GRANT SELECT ON TABLES TO ${role}`,
  ];
}

/** The statement that notes the shape of the tables and the zone of their calendar. */
export function recordShape(schema: string, timezone: string): string {
  return `INSERT INTO ${quoteName(schema)}.vodhouse_schema (key, value) VALUES ('shape', '${SHAPE}'), ('timezone', '${timezone.replaceAll("'", "''")}')
ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
}

/** Everything, for a database administrator who makes the tables (`--print-sql`). Run twice, it changes nothing. */
export function formatSchemaSql(plan: SchemaPlan, timezone: string): string {
  const { schema } = plan;
  const grants = plan.readers.flatMap((reader) => planGrants(schema, reader, listReadable(plan)));
  const made = [...planSchema(plan, null), ...planTriggers(plan), recordShape(schema, timezone)];
  const statements = [...made, ...grants];
  return statements.map((statement) => `${statement};\n`).join('\n');
}

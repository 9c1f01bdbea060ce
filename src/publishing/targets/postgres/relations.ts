/** What a schema has, and what of it somebody has changed so that no load can go on. */
import type { Session } from './session.ts';
import { OWNED_TABLES, TABLES, VIEWS, type TargetTable, type TargetView } from './tables.ts';

export interface Relation {
  name: string;
  kind: 'table' | 'view' | 'other';
  /** The type of each column, in their order. */
  columns: Readonly<Record<string, string>>;
  /** The columns of the primary key, in their order; null: it has none. */
  key: readonly string[] | null;
  /** The name of the constraint. */
  keyName: string | null;
  /** The role that loads may change it. */
  isOwned: boolean;
  /** The comment of each column that has one, by name; `*` is the table or view itself. */
  comments: Readonly<Record<string, string>>;
}

/** Tables and views, by name. */
export type Relations = ReadonlyMap<string, Relation>;

/** Null where the schema does not exist. */
export async function readRelations(session: Session, schema: string): Promise<Relations | null> {
  const rows = await session.query<Relation | { name: null }>(
    `SELECT c.relname AS name, p.conname AS "keyName",
  CASE WHEN c.relkind IN ('r', 'p') THEN 'table' WHEN c.relkind = 'v' THEN 'view' ELSE 'other' END AS kind,
  coalesce((SELECT json_object_agg(attname, format_type(atttypid, atttypmod) ORDER BY attnum) FROM pg_attribute
    WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped), '{}') AS columns,
  pg_has_role(c.relowner, 'USAGE') AS "isOwned",
  coalesce((SELECT json_object_agg(coalesce(attname, '*'), description) FROM pg_description
    LEFT JOIN pg_attribute ON attrelid = objoid AND attnum = objsubid AND objsubid > 0
    WHERE objoid = c.oid AND classoid = 'pg_class'::regclass), '{}') AS comments,
  (SELECT json_agg(a.attname ORDER BY k.place) FROM unnest(p.conkey) WITH ORDINALITY k (attnum, place)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum) AS key
FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'v', 'p', 'f', 'm')
  LEFT JOIN pg_constraint p ON p.conrelid = c.oid AND p.contype = 'p'
WHERE n.nspname = $1`,
    [schema],
  );
  if (rows.length === 0) return null;
  return new Map(rows.flatMap((row) => (row.name === null ? [] : [[row.name, row]])));
}

/** The type of a column without what else its definition says. */
export const typeOnly = (definition: string): string =>
  definition.replace(/ (?:COLLATE|DEFAULT|GENERATED) .*/, '');

/** The columns that have another type than they should. */
export const listRetyped = (
  { columns }: Pick<TargetTable, 'columns'>,
  relation: Pick<Relation, 'columns'>,
): string[] =>
  Object.keys(columns).filter((column) => {
    const type = relation.columns[column];
    return type !== undefined && type !== typeOnly(columns[column] ?? '');
  });

/** The columns that identify a row and its account. */
export const listIdentity = ({ name, key }: TargetTable): string[] => [
  ...new Set([
    ...key,
    ...(OWNED_TABLES.some((table) => table.name === name && 'account' in table.columns) ? ['account'] : []),
  ]),
];

export const hasKey = ({ key }: TargetTable, relation: Relation): boolean =>
  key.length === 0 || relation.key?.join() === key.join();

/** Something else in place of a view: `CREATE OR REPLACE` would fail. */
export const isReplaced = (view: TargetView, relation: Relation): boolean =>
  relation.kind !== 'view' ||
  listRetyped(view, relation).length > 0 ||
  Object.keys(relation.columns).some((column) => !(column in view.columns));

/** What somebody has changed, in words. What is merely missing is not listed: a load adds it. */
export function listDamages(relations: Relations): string[] {
  const damages: string[] = [];
  for (const table of TABLES) {
    const relation = relations.get(table.name);
    if (!relation) continue;
    const { name, kind, columns } = relation;
    if (kind !== 'table') {
      damages.push(`${name} is no table`);
      continue;
    }
    for (const column of listRetyped(table, relation))
      damages.push(
        `${name}.${column} has the type ${columns[column]}, not ${typeOnly(table.columns[column] ?? '')}`,
      );
    for (const column of listIdentity(table))
      if (!(column in columns)) damages.push(`${name} lacks the column ${column}`);
    if (!hasKey(table, relation)) damages.push(`${name} lacks the primary key (${table.key.join(', ')})`);
  }
  for (const view of VIEWS) {
    const relation = relations.get(view.name);
    if (relation && isReplaced(view, relation)) damages.push(`the view ${view.name} was replaced`);
  }
  return damages;
}

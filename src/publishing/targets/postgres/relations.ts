/** What a schema has, and which changes that vodhouse did not make keep loads from going on. */
import type { Session } from './session.ts';
import { hasAccount, type TargetTable, type TargetView } from './tables.ts';

export interface Relation {
  name: string;
  kind: 'table' | 'view' | 'other';
  /** The type of each column, in their order. */
  columns: Readonly<Record<string, string>>;
  /** The columns of the primary key, in their order; empty: it has none. */
  key: readonly string[];
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
    `SELECT c.relname AS name,
  CASE WHEN c.relkind IN ('r', 'p') THEN 'table' WHEN c.relkind = 'v' THEN 'view' ELSE 'other' END AS kind,
  coalesce((SELECT json_object_agg(attname, format_type(atttypid, atttypmod) ORDER BY attnum)
    FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped), '{}') AS columns,
  pg_has_role(c.relowner, 'USAGE') AS "isOwned",
  coalesce((SELECT json_object_agg(coalesce(attname, '*'), description) FROM pg_description
    LEFT JOIN pg_attribute ON attrelid = objoid AND attnum = objsubid AND objsubid > 0
    WHERE objoid = c.oid AND classoid = 'pg_class'::regclass), '{}') AS comments,
  coalesce((SELECT json_agg(a.attname ORDER BY k.place) FROM pg_constraint p
    CROSS JOIN unnest(p.conkey) WITH ORDINALITY k (attnum, place)
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
    WHERE p.conrelid = c.oid AND p.contype = 'p'), '[]') AS key
FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'v', 'p', 'f', 'm')
WHERE n.nspname = $1`,
    [schema],
  );
  if (rows.length === 0) return null;
  return new Map(rows.flatMap((row) => (row.name === null ? [] : [[row.name, row]])));
}

/**
 * A phrase for each thing that differs from what vodhouse made. What is missing is not listed, because a load
 * adds it.
 */
export function listDamages(form: TargetTable | TargetView, relation: Relation): string[] {
  const { name, columns } = form;
  const kind = 'selects' in form ? 'view' : 'table';
  if (relation.kind !== kind) return [`${name} is no ${kind}`];
  const damages = Object.entries(relation.columns).flatMap(([column, type]) => {
    const right = columns[column]?.type ?? type;
    return type === right ? [] : [`${name}.${column} has the type ${type}, not ${right}`];
  });
  if ('selects' in form) {
    const others = Object.keys(relation.columns).filter((column) => !(column in columns));
    return [...damages, ...others.map((column) => `${name} is another view, with a column ${column}`)];
  }
  if (hasAccount(form) && !('account' in relation.columns)) damages.push(`${name} lacks the column account`);
  if (relation.key.join() !== form.key.join())
    damages.push(`${name} lacks the primary key (${form.key.join(', ')})`);
  return damages;
}

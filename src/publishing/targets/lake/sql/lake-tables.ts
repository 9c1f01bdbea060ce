/** The tables and views of a lake, as SQL for its readers names them: with every column that any worker may write. */
import { SHAPE } from '../../../fingerprint.ts';
import type { Column, View } from '../../../mart.ts';
import { createMarts } from '../../../marts/marts.ts';
import { listWarehouseSlices } from '../../shipped-tables.ts';
import { WAREHOUSE_ID } from '../contents.ts';
import { toEmptyKey } from '../layout.ts';

export interface LakeSqlTable {
  name: string;
  columns: readonly Column[];
  /** Columns that are never NULL. */
  required: readonly string[];
  /** What its files are divided by in their keys. */
  owner: 'account' | 'warehouse' | 'all';
  /** Its files are divided by month, too. */
  isMonthly: boolean;
  /** The key of its file without rows. */
  emptyKey: string;
}

/** What the SQL of an engine is made from. */
export interface LakeSql {
  tables: readonly LakeSqlTable[];
  /** In an order in which they can be made. */
  views: readonly View[];
  /** The address of the lake as readers have it, with a `/` at its end. */
  root: string;
  /** By name of the table: the keys of its present files. */
  files: ReadonlyMap<string, readonly string[]>;
}

/** All tables of this version. */
export function listLakeTables(): LakeSqlTable[] {
  const marts = createMarts({ durationUnit: 'ms', exclude: [] });
  const ofWarehouse = new Map(listWarehouseSlices(marts).map(({ table, by }) => [table.name, by !== null]));
  const ofAll = [marts.dates.name, marts.dictionary.name];
  return marts.all.flatMap((mart) => {
    if (mart.kind === 'view') return [];
    const { name, columns, key } = mart;
    const isMonthly = ofWarehouse.get(name) ?? name === marts.videoHistory.name;
    const table = { name, isMonthly, emptyKey: toEmptyKey(name, SHAPE) };
    if (!ofWarehouse.has(name))
      return { ...table, columns, required: key, owner: ofAll.includes(name) ? 'all' : 'account' };
    return {
      ...{ ...table, owner: 'warehouse' },
      ...{ columns: [WAREHOUSE_ID, ...columns], required: [WAREHOUSE_ID.name, ...key] },
    };
  });
}

/** All views of this version. */
export const listLakeViews = (): View[] =>
  createMarts({ durationUnit: 'ms', exclude: [] }).all.flatMap((mart) => (mart.kind === 'view' ? mart : []));

/** A text as a literal of SQL, where only the quote is special. */
export const toLiteral = (text: string): string => `'${text.replaceAll(`'`, `''`)}'`;

/** Puts each line into a comment. */
export const toComment = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => (line === '' ? '--' : `-- ${line}`))
    .join('\n');

/** How an engine writes names. */
export interface Names {
  quote: (name: string) => string;
  /** The name of a table or view of the lake; by default as it is. */
  qualify?: (name: string) => string;
}

/**
 * The SELECT of a view. Each column gets its name again: where two tables have it, some engines would name it with its alias.
 */
export function selectView(
  { select, whereFalse = [] }: View,
  { quote, qualify = (name) => name }: Names,
): string {
  const where = whereFalse.map((column) => `not ${column}`).join(' and ');
  const named = select
    .replace(/\b(\w)\."(\w+)"/g, (_, alias: string, name: string) => {
      return `${alias}.${quote(name)} as ${quote(name)}`;
    })
    .replace(/\b(from|join) (\w+)/g, (_, word: string, table: string) => `${word} ${qualify(table)}`);
  return `${named}${where && ` where ${where}`}`;
}

export const backquote = (name: string): string => `\`${name}\``;
export const doubleQuote = (name: string): string => `"${name}"`;

/** docs/warehouse.md: every table and column of both files. Written by `npm run docs`. */
import type { Column, ForeignKey, Mart, Table, View } from '../../src/publishing/mart.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { INTRODUCTION, OF_LIVE_FILE, OF_PUBLISHED_FILE } from './introduction.ts';
import type { LiveTable } from './describe-table.ts';
import { LIVE_TABLES } from './live-tables.ts';

/** What `publish.exclude` of the config leaves out by default, under the service's names. */
export const LEFT_OUT_BY_DEFAULT: readonly string[] = ['access_key', 'org_access_key'];

/** Everything that can be published. The unit of durations changes values, and no word of this page. */
const PUBLISHED = createMarts({ durationUnit: 'ms', exclude: [] }).all;

/** The whole page. */
export function warehouseMarkdown(): string {
  return paragraphs([
    INTRODUCTION,
    '## The published file',
    OF_PUBLISHED_FILE,
    contents('what it holds', PUBLISHED),
    ...PUBLISHED.flatMap((mart) => (mart.kind === 'view' ? viewSection(mart) : publishedSection(mart))),
    '## The live file',
    OF_LIVE_FILE,
    contents('one row is', LIVE_TABLES),
    ...LIVE_TABLES.flatMap(liveSection),
  ]);
}

const paragraphs = (parts: readonly string[]) => `${parts.map((part) => part.trim()).join('\n\n')}\n`;
const code = (name: string) => `\`${name}\``;
const codes = (names: readonly string[]) => names.map(code).join(', ');

/** A row of a markdown table; a bar inside a cell would end it. */
const row = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

function grid(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}

function contents(what: string, tables: readonly (Mart | LiveTable)[]): string {
  const lines = tables.map((table) => [`[${code(table.name)}](#${table.name})`, describe(table)]);
  return grid(['name', what], lines);
}

const describe = (table: Mart | LiveTable) =>
  'kind' in table && table.kind === 'view' ? `${table.description} A view.` : table.description;

function keys(key: readonly string[], foreignKeys: readonly ForeignKey[]): string {
  const references = foreignKeys.map(
    ({ columns, table, references: theirs }) =>
      `${codes(columns)} → [${code(table)}](#${table}) (${codes(theirs)})`,
  );
  const refersTo = references.length > 0 ? ` Refers to: ${references.join('; ')}.` : '';
  return `Key: ${codes(key)}.${refersTo}`;
}

function publishedSection(table: Table): string[] {
  const heading = [`### ${code(table.name)}`, table.description, keys(table.key, table.foreignKeys)];
  const twin = PUBLISHED.find((other) => other.kind === 'table' && hasColumnsOf(other, table));
  if (twin && twin !== table) {
    const same = `The columns of [${code(twin.name)}](#${twin.name}), with the same meaning: ${names(table.columns)}.`;
    return [...heading, same];
  }
  const lines = table.columns.map((column) => [
    code(column.name),
    column.type,
    column.unit ?? '',
    isLeftOut(column) ? `${column.description} Left out by default.` : column.description,
    column.source === null ? '' : code(column.source),
    column.additivity ?? '',
  ]);
  return [...heading, grid(['column', 'type', 'unit', 'means', 'from', 'sums'], lines)];
}

const names = (columns: readonly { name: string }[]) => codes(columns.map(({ name }) => name));

const isLeftOut = ({ name, source }: Column) => LEFT_OUT_BY_DEFAULT.includes(source ?? name);

/** The same columns in the same order, meaning the same. */
function hasColumnsOf(one: Mart, other: Mart): boolean {
  const meaning = ({ columns }: Mart) =>
    JSON.stringify(columns.map(({ name, type, unit, description }) => [name, type, unit, description]));
  return meaning(one) === meaning(other);
}

function viewSection(view: View): string[] {
  const lines = partsOf(view).map(({ tables, columns }) => {
    const from = tables.map((name) => `[${code(name)}](#${name})`).join(' and ');
    return `- from ${from}: ${codes(columns)}`;
  });
  return [`### ${code(view.name)}`, describe(view), lines.join('\n')];
}

interface ViewPart {
  tables: readonly string[];
  columns: readonly string[];
}

/** Which columns a view passes through from where, as its SELECT says. One without aliases joins nothing. */
function partsOf({ select, columns }: View): ViewPart[] {
  const tables = [...select.matchAll(/\b(?:from|join) (\w+)(?: (\w+)\b)?/g)];
  const chosen = [...select.matchAll(/(\w+)\."(\w+)"/g)];
  if (chosen.length === 0) {
    return [{ tables: tables.map(([, table = '']) => table), columns: columns.map(({ name }) => name) }];
  }
  return tables.map(([, table = '', alias]) => ({
    tables: [table],
    columns: chosen.flatMap(([, of, name = '']) => (of === alias ? [name] : [])),
  }));
}

function liveSection(table: LiveTable): string[] {
  const heading = [`### ${code(table.name)}`, table.description, keys(table.key, table.foreignKeys)];
  const base = LIVE_TABLES.find((other) => other !== table && isBaseOf(other, table));
  const own = table.columns.slice(base?.columns.length ?? 0);
  const lines = own.map(({ name, type, unit, description }) => [code(name), type, unit ?? '', description]);
  const body = grid(['column', 'type', 'unit', 'means'], lines);
  if (!base) return [...heading, body];
  const same = `The columns of [${code(base.name)}](#${base.name}), as they were in this state: ${names(base.columns)}. And:`;
  return [...heading, same, body];
}

/** Its columns begin with all of the other one's, which mean the same. */
function isBaseOf(base: LiveTable, table: LiveTable): boolean {
  return base.columns.every(
    (column, index) => JSON.stringify(column) === JSON.stringify(table.columns[index]),
  );
}

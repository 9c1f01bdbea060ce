/** Tables and lists on a terminal. */
import Table from 'cli-table3';
import { escapeControls, formatCount } from '../../lib/format.ts';

/** A list on a terminal shows this number of rows at most; `--json` prints all. */
export const MOST_ROWS = 40;

/** Removes every border of the library, and puts two spaces between columns. */
const CHARS = {
  ...Object.fromEntries(Object.keys(new Table().options.chars).map((border) => [border, ''])),
  middle: '  ',
};

/** A number gets separators of thousands; null is an empty cell. */
type Cell = string | number | null;

/** A row of a table, by column. */
export type TableRecord = Readonly<Record<string, Cell>>;

/**
 * A table without borders. It has a column for each key of which some record has a value. Columns of numbers,
 * and those with a key `>…`, are aligned to the right.
 */
export function formatRecords(records: readonly TableRecord[]): string {
  const isFilled = (name: string) => records.some((record) => (record[name] ?? '') !== '');
  const names = Object.keys(records[0] ?? {}).filter(isFilled);
  const rows = records.map((record) => names.map((name) => record[name] ?? null));
  const headings = names.map((name) => name.replace(/^>/, ''));
  return formatTable(headings, rows, formatCell, (column) => names[column]?.startsWith('>') ?? false);
}

const formatCell = (cell: Cell) => (typeof cell === 'number' ? formatCount(cell) : (cell ?? ''));

/** A table without borders. Columns of numbers, and those that `isRight` names, are aligned to the right. */
export function formatTable<Of>(
  headings: readonly string[],
  rows: readonly (readonly Of[])[],
  toText: (cell: Of) => string,
  isRight: (column: number) => boolean = () => false,
): string {
  const isNumeric = (column: number) =>
    rows.some((row) => isNumber(row[column])) &&
    rows.every((row) => row[column] === null || isNumber(row[column]));
  const table = new Table({
    head: headings.map(escapeControls),
    colAligns: headings.map((_, column) => (isRight(column) || isNumeric(column) ? 'right' : 'left')),
    chars: CHARS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => row.map((cell) => escapeControls(toText(cell)))));
  return table.toString().replace(/[^\S\n]+$/gm, '');
}

export const isNumber = (cell: unknown): boolean => typeof cell === 'number' || typeof cell === 'bigint';

/** How many rows of a list are shown, and the command that prints all of them. */
export interface Limit {
  most: number;
  command: string;
}

/** The rows; if there are more than a list shows, first those that are not good. */
export const worstFirst = <Row>(rows: readonly Row[], isGood: (row: Row) => boolean): readonly Row[] =>
  rows.length > MOST_ROWS ? rows.toSorted((one, other) => Number(isGood(one)) - Number(isGood(other))) : rows;

/** A table of the first records, and how many more there are. */
export function formatFirst(records: readonly TableRecord[], limit: Limit): string {
  return [formatRecords(records.slice(0, limit.most)), ...moreText(records.length, limit)].join('\n');
}

export function moreText(count: number, { most, command }: Limit): string[] {
  return count > most ? [`  … and ${formatCount(count - most)} more: ${command}`] : [];
}

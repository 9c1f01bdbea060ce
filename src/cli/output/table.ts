import Table from 'cli-table3';
import { escapeControls } from '../../lib/format.ts';

const BORDERS = [
  ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
  ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
];
const CHARS = { ...Object.fromEntries(BORDERS.map((part) => [part, ''])), middle: '  ' };

/** A table without borders. A column whose heading begins with `>` is aligned to the right. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: headings.map((heading) => heading.replace(/^>/, '')),
    colAligns: headings.map((heading) => (heading.startsWith('>') ? 'right' : 'left')),
    chars: CHARS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => row.map(escapeControls)));
  return table.toString().replace(/[^\S\n]+$/gm, '');
}

/** The same without the columns that are empty in every row. */
export function formatFilledColumns(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const isFilled = (_: unknown, column: number) => rows.some((row) => row[column] !== '');
  return formatTable(
    headings.filter(isFilled),
    rows.map((row) => row.filter(isFilled)),
  );
}

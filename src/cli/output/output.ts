/** Paths, documents and tables for a terminal. */
import { relative } from 'node:path';
import Table from 'cli-table3';
import { escapeControls } from '../../lib/format.ts';

/** A path as one would type it from here, where that is not further up. */
export function displayPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}

/** A JSON document for stdout. */
export function formatJson(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** A table without lines; columns whose heading begins with `>` stand to the right. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const none = Object.fromEntries(
    ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
      .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'])
      .map((part) => [part, '']),
  );
  const drawn = new Table({
    head: headings.map((heading) => heading.replace(/^>/, '')),
    colAligns: headings.map((heading) => (heading.startsWith('>') ? 'right' : 'left')),
    chars: { ...none, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  drawn.push(...rows.map((row) => row.map(escapeControls)));
  return drawn
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

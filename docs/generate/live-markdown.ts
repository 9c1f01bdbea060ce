/** docs/contributing/live-file.md: every table and column of the live file. Written by `npm run docs`. */
import type { ForeignKey } from '../../src/publishing/mart.ts';
import type { LiveTable } from './describe-table.ts';
import { LIVE_TABLES } from './live-tables.ts';
import { code, codes, grid, linkTo, paragraphs } from './markdown.ts';

const INTRODUCTION = `# The live file, table by table

Generated from the code by \`npm run docs\`: do not edit.

The live file (\`warehouse\`, by default \`data/vodhouse.db\`) belongs to the worker, which writes to it all the time: never write to it. It
has the fields of the service exactly as received, and the state of vodhouse itself: runs, requests, quarantine. Readers use the published file:
[tables.md](../tables.md).

Fields of the service have its own names. NULL and \`''\` are different, as received; a field that was not sent is NULL. A text field that was
sent as another JSON type is stored as its JSON text. A record that cannot be stored without loss is in [\`quarantine\`](#quarantine), and fields that are
not documented are in \`video.extra\`. Times are text \`YYYY-MM-DD HH:MM:SS\` in UTC; the ledger has milliseconds since 1970 (\`…_ms\`). Days are
those of the service's calendar; only \`saved_requests\` counts by days in UTC. The file is in WAL mode: open it as the user that runs vodhouse. Queries
to copy: [queries.md](../queries.md).`;

/** The whole page. */
export const liveMarkdown = (): string =>
  paragraphs([
    INTRODUCTION,
    grid(
      ['table', 'one row is'],
      LIVE_TABLES.map(({ name, description }) => [linkTo(name), description]),
    ),
    ...LIVE_TABLES.flatMap(section),
  ]);

function keys(key: readonly string[], foreignKeys: readonly ForeignKey[]): string {
  const references = foreignKeys.map(
    ({ columns, table, references: theirs }) => `${codes(columns)} → ${linkTo(table)} (${codes(theirs)})`,
  );
  const refersTo = references.length > 0 ? ` Refers to: ${references.join('; ')}.` : '';
  return `Key: ${codes(key)}.${refersTo}`;
}

function section(table: LiveTable): string[] {
  const heading = [`## ${code(table.name)}`, table.description, keys(table.key, table.foreignKeys)];
  const base = LIVE_TABLES.find((other) => other !== table && isBaseOf(other, table));
  const own = table.columns.slice(base?.columns.length ?? 0);
  const lines = own.map(({ name, type, unit, description }) => [code(name), type, unit ?? '', description]);
  const body = grid(['column', 'type', 'unit', 'means'], lines);
  if (!base) return [...heading, body];
  const names = codes(base.columns.map(({ name }) => name));
  return [
    ...heading,
    `The columns of ${linkTo(base.name)}, as they were in this state: ${names}. And:`,
    body,
  ];
}

/** Its columns begin with all of the other one's, which mean the same. */
const isBaseOf = (base: LiveTable, table: LiveTable): boolean =>
  base.columns.every((column, index) => JSON.stringify(column) === JSON.stringify(table.columns[index]));

/** The views that a lake does not have, as SQL of DuckDB and ClickHouse: the lower part of docs/targets.md. */
import { createView } from '../../src/publishing/mart.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { LEFT_OUT_BY_DEFAULT } from './tables.ts';

const { all } = createMarts({ durationUnit: 'ms', exclude: LEFT_OUT_BY_DEFAULT });
const VIEWS = all.filter((mart) => mart.kind === 'view');

/** The tables of a lake that the views read. */
export const LAKE_TABLES: readonly string[] = all.flatMap(({ kind, name }) => {
  const isRead = VIEWS.some(({ select }) => new RegExp(`\\b(from|join) ${name}\\b`).test(select));
  return kind === 'table' && isRead ? [name] : [];
});

/** The statements that make the views, in an order in which they can be made. The same for both engines. */
export const LAKE_VIEWS: readonly string[] = VIEWS.map(createView);

/** Names a table of the lake as the views have it; `scan` is the function of the engine that reads one. */
export const nameTable = (scan: string, name: string, root = '/srv/lake'): string =>
  `CREATE VIEW "${name}" AS SELECT * FROM ${scan}('${root}/${name}')`;

/** The lower part of the page. */
export function lakeViewsMarkdown(): string {
  const block = (statements: readonly string[]) =>
    `\`\`\`sql\n${statements.map((sql) => `${sql.replaceAll(' union all ', '\nunion all\n')};\n`).join('')}\`\`\`\n`;
  return `## Views over a lake

A lake has no views. First give its tables their names, in DuckDB:

${block(LAKE_TABLES.map((name) => nameTable('delta_scan', name)))}
Or in ClickHouse (in a bucket, with the function of the table of engines above):

${block(LAKE_TABLES.map((name) => nameTable('deltaLakeLocal', name)))}
Then, in both, make the views. Leave out the columns that \`publish.exclude\` of your config names:

${block(LAKE_VIEWS)}`;
}

/** deploy/lake/views.sql: the views that a lake does not have, for DuckDB and ClickHouse. `npm run docs` writes it. */
import { createView } from '../../src/publishing/marts/mart.ts';
import { createMarts } from '../../src/publishing/marts/marts.ts';
import { LEFT_OUT_BY_DEFAULT } from './tables.ts';

const { all } = createMarts({ durationUnit: 'ms', exclude: LEFT_OUT_BY_DEFAULT });
const VIEWS = all.filter((mart) => mart.kind === 'view');

/** The tables that the views read: each of them writes the names of its own. */
const READ = new Set<string>();
for (const { selects } of VIEWS)
  selects((table) => {
    READ.add(table);
    return table;
  });

/** The tables of a lake that the views read. */
export const LAKE_TABLES: readonly string[] = all.map(({ name }) => name).filter((name) => READ.has(name));

/** The statements that make the views, in an order in which they can be made. The same for both engines. */
export const LAKE_VIEWS: readonly string[] = VIEWS.map(createView);

/** Names a table of the lake as the views have it; `scan` is the function of the engine that reads one. */
export const nameTable = (scan: string, name: string, root = '/srv/lake'): string =>
  `CREATE VIEW "${name}" AS SELECT * FROM ${scan}('${root}/${name}')`;

const HEADING = `-- Written by \`npm run docs\`: do not edit. Views over a lake, for DuckDB; change /srv/lake to the place of yours.
-- For ClickHouse, write deltaLakeLocal in place of delta_scan. Leave out the columns that \`publish.exclude\` of your config names.
`;

/** The whole file. */
export function lakeViewsSql(): string {
  const statements = [...LAKE_TABLES.map((name) => nameTable('delta_scan', name)), ...LAKE_VIEWS];
  return HEADING + statements.map((sql) => `\n${sql.replaceAll(' union all ', '\nunion all\n')};\n`).join('');
}

/** What the page of the published file shows: its dictionary, and how to open it. */
import { existsSync } from 'node:fs';
import { createMarts } from '../../publishing/marts/marts.ts';
import type { Mart } from '../../publishing/mart.ts';
import type { ViewSources } from './status-view.ts';

/** Columns and rows of an example query. */
const EXAMPLE_COLUMNS = 5;
const EXAMPLE_ROWS = 10;

export interface TableView extends Pick<Mart, 'name' | 'kind' | 'description' | 'columns'> {
  /** A query to begin with. */
  example: string;
}

export type DataView = ReturnType<typeof createDataView>;

/** The tables are those that the config publishes, also before there is a file. */
export function createDataView({
  config: { publish, durationUnit },
  formatCommand,
}: Pick<ViewSources, 'config' | 'formatCommand'>) {
  const marts = createMarts({ durationUnit, exclude: publish?.exclude ?? [] }).all;
  return {
    /** The path of the published file; null: the config publishes none. */
    file: publish?.file ?? null,
    isThere: publish !== null && existsSync(publish.file),
    publishCommand: formatCommand('publish'),
    tables: publish === null ? [] : marts.map(toTableView),
  };
}

function toTableView({ name, kind, description, columns }: Mart): TableView {
  const names = columns.slice(0, EXAMPLE_COLUMNS).map((column) => column.name);
  const example = `select ${names.join(', ')} from ${name} limit ${EXAMPLE_ROWS};`;
  return { name, kind, description, columns, example };
}

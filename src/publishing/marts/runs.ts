/** Published: the runs and walks that brought the data, for dashboards of the pipeline. */
import { MODES, STATUSES, TRIGGERS } from '../../database/schema/values.ts';
import type { Table, TableColumn } from './mart.ts';
import {
  column,
  instant,
  moment,
  packageColumns,
  RUN_KEY,
  sourceColumn,
  withWarehouse,
} from './mart-columns.ts';

const NOT_YET = 'One that changed nothing appears with the next file.';

/** The columns that a run and a walk have in common. */
const COMMON: TableColumn[] = [
  word('mode', MODES, 'full: every page. quick: only new and removed videos.'),
  word(
    'status',
    STATUSES,
    'partial: a part failed. parked: waits for the budget, the end of a pause, or another run. interrupted: stopped or killed.',
  ),
  ...moment('started', 'When it started.', 'v.started_at'),
  instant('finished', 'When it ended; NULL while it runs.', 'v.finished_at'),
  column(
    'duration_seconds',
    'REAL',
    'Time from its start to its end, waiting included.',
    `(strftime('%s', v.finished_at) - strftime('%s', v.started_at)) * 1.0`,
    { unit: 'seconds', additivity: 'additive' },
  ),
  sum('request', 'requests', 'requests', 'Requests that it sent; 0 while it runs.'),
];
const ERROR = column('error', 'TEXT', 'What failed, or another remark.', 'without_nul(v.error)', {
  source: 'error',
});

function word(name: string, values: readonly string[], description: string): TableColumn {
  return sourceColumn(name, 'VARCHAR(20)', description, `v.${name}`, { values });
}

/** The column `NAME_count` from one of the live row. */
function sum(name: string, source: string, unit: string, description: string): TableColumn {
  return sourceColumn(`${name}_count`, 'BIGINT', description, `v.${source}`, {
    unit,
    additivity: 'additive',
  });
}

/** One row per run. */
export const runs: Table = {
  kind: 'table',
  name: 'runs',
  description: `One row per run: one pass over everything that was due. ${NOT_YET} Rows older than retention.runs_days are deleted.`,
  role: 'fact',
  key: ['run_key'],
  columns: [
    RUN_KEY,
    sourceColumn('run_id', 'BIGINT', 'Number of the run, increasing in its warehouse.', 'v.run_id'),
    word(
      'trigger',
      TRIGGERS,
      'schedule: a scheduled time. catch_up: a missed one, or a parked run that resumed. manual: a person.',
    ),
    ...COMMON,
    column(
      'failure_count',
      'BIGINT',
      'Packages, storages and accounts that failed in it.',
      '(select count(*) from live.run_failure f where f.run_id = v.run_id)',
      { unit: 'failures', additivity: 'additive' },
    ),
    sourceColumn('scope', 'TEXT', 'The part that was requested; NULL for everything.', 'v.scope'),
    ERROR,
  ],
  from: 'from live.run v order by v.run_id',
  count: 'select count(*) from live.run',
};

/** The first full walk of the package had not ended before it. */
const IS_IMPORT = `coalesce(v.finished_at <= k.first_walked_at, true)`;
const NEW = { unit: 'videos', source: 'added', additivity: 'additive' } as const;
const SERVED = 'Videos of the package, by the last response.';

/** One row per walk. */
export const walks: Table = {
  kind: 'table',
  name: 'walks',
  description: `One row per walk: one pass over the pages of one package, within a run. A quick walk that found nothing has no row. ${NOT_YET}`,
  role: 'fact',
  key: ['walk_key'],
  foreignKeys: ['package_key', 'run_key'],
  columns: [
    column(
      'walk_key',
      'VARCHAR(255)',
      'Warehouse and number of the walk as one key.',
      withWarehouse('v.walk_id'),
      {
        source: 'walk_id',
      },
    ),
    RUN_KEY,
    ...packageColumns('p'),
    ...COMMON,
    sum('page', 'pages', 'pages', 'Pages that it read, also unchanged ones.'),
    sourceColumn('service_video_count', 'BIGINT', SERVED, 'v.totalcount', { unit: 'videos' }),
    column(
      'imported_count',
      'BIGINT',
      'Videos first seen before the first full walk of the package ended.',
      `iif(${IS_IMPORT}, v.added, 0)`,
      NEW,
    ),
    column('added_count', 'BIGINT', 'Videos that were new since then.', `iif(${IS_IMPORT}, 0, v.added)`, NEW),
    sum('edited', 'edited', 'videos', 'Edited videos.'),
    sum('removed', 'removed', 'videos', 'Removed videos.'),
    sum('restored', 'restored', 'videos', 'Restored or returned videos.'),
    sum('unchanged', 'unchanged', 'records', 'Records equal to their row.'),
    sum('quarantined', 'quarantined', 'records', 'Records that could not be stored.'),
    sourceColumn('held_back_count', 'BIGINT', 'Removals held back at its end.', 'v.held_back', {
      unit: 'videos',
    }),
    ERROR,
  ],
  from: `from live.walk v
cross join package_keys p on p.package_key = v.account || '/' || v.package_id
cross join live.package k on k.account = v.account and k.package_id = v.package_id
order by v.walk_id`,
  count: 'select count(*) from live.walk',
};

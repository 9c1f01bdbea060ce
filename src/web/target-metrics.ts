/** The metrics of targets: how far each one is behind, and totals, which the live file keeps. */
import { Counter, Summary, type Registry } from 'prom-client';
import { fromTimestamp } from '../lib/clock.ts';
import { isUpToDate, type TargetAccount, type TargetReport } from '../health/targets.ts';
import type { GaugeReading, Scrape } from './gauges.ts';

const LABELS = ['target', 'account'] as const;
const toSeconds = (at: string | null) => (at === null ? null : fromTimestamp(at) / 1000);

export const TARGET_GAUGES: readonly GaugeReading[] = [
  {
    name: 'vodhouse_target_every_seconds',
    help: 'The least time between two loads of the target (`every`): so long it may lack changes.',
    labels: ['target'],
    read: ({ targets }) =>
      targets.map(({ target, everyMs }) => ({ labels: { target }, value: everyMs / 1000 })),
  },
  perAccount(
    'vodhouse_target_behind_changes',
    'Changes of the warehouse since the last one that the target has of the account, at most: changes of other accounts in between count too; 0 if it has all.',
    (row) => row.behind_changes,
  ),
  perAccount(
    'vodhouse_target_behind_seconds',
    'Seconds since the last load that succeeded, if it lacks changes or a load failed since; else 0. No sample before the first load.',
    (row, now) => {
      if (row.loaded_at === null) return null;
      return isUpToDate(row) ? 0 : Math.max(0, (now - fromTimestamp(row.loaded_at)) / 1000);
    },
  ),
  perAccount(
    'vodhouse_target_last_success_timestamp_seconds',
    'When the last load ended that succeeded, also if it had nothing to write, in seconds since 1970. No sample before the first.',
    (row) => toSeconds(row.loaded_at),
  ),
  perAccount(
    'vodhouse_target_verified_timestamp_seconds',
    'When every value was last compared, in seconds since 1970. No sample if they never were, or differed.',
    (row) => (row.differences?.length === 0 ? toSeconds(row.verified_at) : null),
  ),
];

/** A gauge of each account of the config in each target; null: no sample. */
function perAccount(
  name: string,
  help: string,
  getValue: (row: TargetAccount, now: number) => number | null,
): GaugeReading {
  const read = ({ targets, now }: Scrape) =>
    listRows(targets).flatMap(({ labels, row }) => {
      const value = getValue(row, now);
      return value === null ? [] : { labels, value };
    });
  return { name, help, labels: LABELS, read };
}

const listRows = (targets: readonly TargetReport[]) =>
  targets.flatMap(({ target, accounts }) =>
    accounts.map((row) => ({ row, labels: { target, account: row.account } })),
  );

/** The returned function sets the totals to those of the live file: they do not start at 0 with the server. */
export function createTargetTotals(registry: Registry) {
  const registers = [registry];
  const loads = new Counter({
    name: 'vodhouse_target_loads_total',
    help: 'Loads that succeeded (also with nothing to write) or failed (also: the account was refused).',
    labelNames: [...LABELS, 'status'],
    registers,
  });
  const written = new Counter({
    name: 'vodhouse_target_rows_total',
    help: 'Rows that loads wrote, in all tables of the target.',
    labelNames: LABELS,
    registers,
  });
  const setDurations = createDurations(registry);
  return ({ targets }: Pick<Scrape, 'targets'>): void => {
    const rows = listRows(targets);
    loads.reset();
    written.reset();
    for (const { labels, row } of rows) {
      loads.inc({ ...labels, status: 'succeeded' }, row.loads);
      loads.inc({ ...labels, status: 'failed' }, row.failures);
      written.inc(labels, row.rows);
    }
    setDurations(rows);
  };
}

/** A summary without quantiles, of totals: `observe` would need each load. */
function createDurations(registry: Registry) {
  const name = 'vodhouse_target_load_duration_seconds';
  const help = 'Duration of the loads that succeeded: sum and count.';
  const summary = new Summary({
    name,
    help,
    labelNames: LABELS,
    percentiles: [],
    registers: [registry],
  });
  let rows: ReturnType<typeof listRows> = [];
  const values = () =>
    rows.flatMap(({ labels, row }) => [
      { metricName: `${name}_sum`, labels, value: row.duration_ms / 1000 },
      { metricName: `${name}_count`, labels, value: row.loads },
    ]);
  const get = summary.get.bind(summary);
  summary.get = async () => ({ ...(await get()), values: values() });
  return (now: typeof rows): void => void (rows = now);
}

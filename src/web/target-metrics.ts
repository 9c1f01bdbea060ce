/** The metrics of targets: how far each one is behind, and totals, which the live file keeps. */
import { Counter, type Registry } from 'prom-client';
import { fromTimestamp } from '../lib/clock.ts';
import { isUpToDate, type TargetAccount } from '../health/targets.ts';
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
    targets
      .flatMap(({ accounts }) => accounts)
      .flatMap((row) => {
        const value = getValue(row, now);
        return value === null ? [] : { labels: { target: row.target, account: row.account }, value };
      });
  return { name, help, labels: LABELS, read };
}

/** The returned function sets the totals to those of the live file: they do not start at 0 with the server. */
export function createTargetTotals(registry: Registry) {
  const loads = new Counter({
    name: 'vodhouse_target_loads_total',
    help: 'Loads that succeeded (also with nothing to write) or failed (also: the account was refused).',
    labelNames: [...LABELS, 'status'],
    registers: [registry],
  });
  return ({ targets }: Pick<Scrape, 'targets'>): void => {
    loads.reset();
    for (const { target, account, ...row } of targets.flatMap(({ accounts }) => accounts)) {
      loads.inc({ target, account, status: 'succeeded' }, row.loads);
      loads.inc({ target, account, status: 'failed' }, row.failures);
    }
  };
}

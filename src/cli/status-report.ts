/** What `status` tells: facts of the live file, and what of them needs a person. The shape is that of `--json`. */
import type { AccountConfig, Config } from '../config/config.ts';
import { addDays, createCalendar } from '../lib/calendar.ts';
import { fromTimestamp } from '../lib/clock.ts';
import { nextTick } from '../schedule/due.ts';
import type { Overview } from '../warehouse/overview.ts';
import { counted } from './words.ts';

export interface Report {
  warehouse: string;
  /** What is stale or needs a person, in words, with what to do; empty where all is well. */
  needs: string[];
  packages: PackageReport[];
  storage: StorageReport[];
  budgets: BudgetReport[];
  runs: RunReport[];
}

interface PackageReport {
  account: string;
  package_id: number;
  name: string | null;
  videos: number;
  walked_at: string | null;
  order: 'trusted' | 'untrusted' | null;
  held_back: number;
  stale: boolean;
  /** How the last walk ended, and the error of one that failed. */
  last_walk: string | null;
  last_error: string | null;
}

interface StorageReport {
  account: string;
  read_at: string | null;
  booked_through: string | null;
  gaps: number;
  gaps_given_up: number;
  stale: boolean;
}

interface BudgetReport {
  account: string;
  per_second: Window;
  per_minute: Window;
  per_day: Window;
}

interface Window {
  spent: number;
  limit: number | null;
}

type RunReport = Pick<
  ReturnType<Overview['runs']>[number],
  'run_id' | 'trigger' | 'mode' | 'status' | 'started_at' | 'finished_at' | 'requests' | 'error' | 'scope'
>;

/** Of the days booked this long ago and later, most must agree with what the service says now. */
const DISCREPANCY_DAYS = 14;

/** Gathers the report. */
export function createReport(config: Config, overview: Overview, now: number): Report {
  const report = {
    warehouse: config.warehouse,
    packages: packageReports(config, overview, now),
    storage: config.accounts.flatMap((account) => storageReport(config, account, overview, now)),
    budgets: config.accounts.map((account) => budgetReport(account, overview, now)),
    runs: overview.runs(5),
  };
  return {
    ...report,
    needs: [
      ...packageNeeds(report.packages),
      ...storageNeeds(config, report.storage, overview, now),
      ...otherNeeds(overview),
    ],
  };
}

/** Stale: two ticks of the schedule have passed since. */
function isStale(config: Config, timestamp: string | null, now: number): boolean {
  if (timestamp === null) return true;
  const { full } = config.schedule;
  return now > nextTick(full, nextTick(full, fromTimestamp(timestamp)));
}

/** The packages of the config: also those that no run has met yet, and none that was taken out of it since. */
function packageReports(config: Config, overview: Overview, now: number): PackageReport[] {
  const known = byPackage(overview.packages());
  const held = byPackage(overview.heldBack());
  const walks = byPackage(overview.lastWalks());
  return config.accounts.flatMap(({ name: account, packages }) =>
    packages.map(({ id, name }) => {
      const key = keyOf({ account, package_id: id });
      const row = known.get(key);
      const walkedAt = row?.walked_at ?? null;
      return {
        account,
        package_id: id,
        name,
        videos: row?.live_count ?? 0,
        walked_at: walkedAt,
        order: row?.order ?? null,
        held_back: held.get(key)?.held_back ?? 0,
        stale: isStale(config, walkedAt, now),
        last_walk: walks.get(key)?.status ?? null,
        last_error: walks.get(key)?.error ?? null,
      };
    }),
  );
}

interface PackageRow {
  account: string;
  package_id: number;
}

function byPackage<Row extends PackageRow>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [keyOf(row), row]));
}

function keyOf({ account, package_id: id }: PackageRow): string {
  return `${account}/${id}`;
}

function storageReport(
  config: Config,
  account: AccountConfig,
  overview: Overview,
  now: number,
): StorageReport[] {
  if (!account.storage) return [];
  const facts = overview.storage(account.name, account.storage.since ?? '');
  return [
    {
      account: account.name,
      read_at: facts.readAt,
      booked_through: facts.bookedThrough,
      gaps: facts.openGaps,
      gaps_given_up: facts.givenUpGaps,
      stale: isStale(config, facts.readAt, now),
    },
  ];
}

function budgetReport({ name, limits }: AccountConfig, overview: Overview, now: number): BudgetReport {
  const spent = overview.spent(name, now);
  return {
    account: name,
    per_second: { spent: spent.second, limit: limits.perSecond },
    per_minute: { spent: spent.minute, limit: limits.perMinute },
    per_day: { spent: spent.day, limit: limits.perDay },
  };
}

function packageNeeds(packages: readonly PackageReport[]): string[] {
  return packages.flatMap((row) => {
    const name = `${row.account}/${row.package_id}`;
    const needs = [];
    if (row.walked_at === null)
      needs.push(`${name} was never walked whole: vodhouse sync --package ${row.package_id}`);
    else if (row.stale) needs.push(`${name} is stale: last walked whole at ${row.walked_at} UTC`);
    if (row.last_walk === 'failed' || row.last_walk === 'partial') {
      needs.push(
        `${name}: the last walk ${row.last_walk === 'failed' ? 'failed' : 'was not whole'}: ${row.last_error ?? ''}`,
      );
    }
    if (row.held_back > 0) {
      needs.push(
        `${name} holds ${counted(row.held_back, 'removal')} back: wait for the next walk, or vodhouse sync --accept-removals`,
      );
    }
    if (row.order === 'untrusted')
      needs.push(`${name} is not listed in order of ids: its removals cannot be proved`);
    return needs;
  });
}

function storageNeeds(
  config: Config,
  reports: readonly StorageReport[],
  overview: Overview,
  now: number,
): string[] {
  const since = addDays(createCalendar(config.timezone).dayAt(now), -DISCREPANCY_DAYS);
  return reports.flatMap((report) => {
    const name = `storage of ${report.account}`;
    const { booked, differing } = overview.storage(report.account, since);
    const needs = [];
    if (report.read_at === null) needs.push(`${name} was never read: vodhouse sync --storage`);
    else if (report.stale) needs.push(`${name} is stale: last read at ${report.read_at} UTC`);
    if (report.gaps > 0)
      needs.push(`${name} has ${counted(report.gaps, 'day')} that the service did not serve yet`);
    if (differing * 2 > booked && booked > 1) {
      needs.push(
        `${name}: ${differing} of ${booked} booked days differ from what the service says now; check timezone and settle in the config`,
      );
    }
    return needs;
  });
}

function otherNeeds(overview: Overview): string[] {
  return overview
    .quarantine()
    .map(
      ({ account, stream, open }) =>
        `${counted(open, 'record')} of ${account} (${stream}) in quarantine: select * from quarantine where resolved_at is null`,
    );
}

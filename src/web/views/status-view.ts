/** What the status page shows, read from the live file. */
import { CATALOGUE, getRank } from '../../health/catalogue.ts';
import type { HealthParts, PackageReport } from '../../health/facts.ts';
import type { Problem } from '../../health/problem.ts';
import { createHealthReport, type HealthReport } from '../../health/report.ts';
import type { WideReads } from '../../queries/wide-reads/wide-reads.ts';
import type { PageQueries } from '../../queries/page-queries.ts';
import { listAttention } from './attention.ts';
import { createStripReader, type StripDay } from './day-strip.ts';
import { createTiles } from './tiles.ts';
import { countRunPackages, toRunProgress, toChangeMarker } from './run-progress.ts';
import { getOverallStatus } from '../../health/overall-status.ts';

/** A package with its first problem, which is its state. */
export type PackageState = PackageReport & { problem: Problem | undefined };
export type PackageRowView = PackageState & { days: StripDay[] };

export type StatusView = ReturnType<typeof createStatusView>;

/** What the pages are built from. */
export interface ViewSources extends HealthParts {
  details: PageQueries;
  wideReads: WideReads;
  /** When the next full run after `now` is due, both in ms since 1970. */
  nextRun: (now: number) => number;
}

const RUNS = 2;
const CHANGES = 8;
const PACKAGES = 12;

/** `now` is in ms since 1970. Throws WarehouseError if the live file cannot be read. */
export function createStatusView(sources: ViewSources, now: number) {
  const { details } = sources;
  const running = details.runningRun();
  const isFirstReadRunning = running !== null && running.mode === 'full' && running.scope === null;
  const health = createHealthReport(sources, now, RUNS);
  return {
    now,
    stamp: toChangeMarker(details.changeMarker(), running, now),
    health,
    attention: listAttention(health.items),
    /** The command that lists all problems. */
    listAllCommand: sources.formatCommand('status --json'),
    overallStatus: getOverallStatus(health),
    progress: running && toRunProgress(running, countRunPackages(sources.config.accounts, running), now),
    tiles: createTiles({ ...sources, health }, now),
    /** When the next full run is due, in ms since 1970. */
    nextRun: sources.nextRun(now),
    /** An unscoped full run is in progress: packages without a walk will get one. */
    isFirstReadRunning,
    packages: listPackages(health, sources, now),
    /** The accounts whose limits are worth a look. */
    tightBudgets: health.budgets.filter(isTight),
    changes: details.latestChanges(CHANGES),
  };
}

/** From this share of a day's limit on. */
const TIGHT_SHARE = 0.5;

/** Restricted, or above half of its limit of a day. */
function isTight({ pause, per_day: { spent, limit } }: HealthReport['budgets'][number]): boolean {
  return pause !== null || (limit !== null && spent > TIGHT_SHARE * limit);
}

/** The first twelve, the worst first; otherwise in the order of the config. */
function listPackages(health: HealthReport, sources: ViewSources, now: number) {
  const packages = getPackageStates(health);
  const rank = ({ problem }: PackageState) => (problem ? getRank(problem) : CATALOGUE.length);
  const readStrip = createStripReader(sources, now);
  const rows = packages
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, PACKAGES)
    .map((row) => ({ ...row, days: readStrip({ account: row.account, packageId: row.package_id }) }));
  return { rows, all: packages.length };
}

/** The packages of the config with their first problems. */
export function getPackageStates({ packages, problems }: HealthReport): PackageState[] {
  const first = new Map<string, Problem>();
  for (const problem of problems.filter(({ scope }) => scope.packageId !== null)) {
    const key = `${problem.scope.account ?? ''}/${problem.scope.packageId ?? ''}`;
    if (!first.has(key)) first.set(key, problem);
  }
  return packages.map((row) => ({ ...row, problem: first.get(`${row.account}/${row.package_id}`) }));
}

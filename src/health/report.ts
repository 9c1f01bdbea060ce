/** How things stand: facts of the live file, and what of them needs a person. The shape is that of `status --json`. */
import type { AccountConfig, Config } from '../config/config.ts';
import { fromTimestamp } from '../lib/clock.ts';
import type { StatusQueries, Savings } from '../queries/status-queries.ts';
import type { DiscrepancyDay, WaitingDay } from '../queries/named/storage.ts';
import { publishedFact } from '../publishing/about-rows.ts';
import type { Publisher } from '../publishing/publisher.ts';
import { needsOf, type Need } from './problems.ts';
import { listStreams, type Stream, type StreamParts } from './streams.ts';
import { acceptRemovalsCommands, type FormatCommand } from './commands.ts';

export interface Standing {
  warehouse: string;
  /** What is stale or needs a person; empty where all is well. The document has only the words. */
  needs: Need[];
  packages: PackageReport[];
  held_back: HeldBackReport[];
  quarantine: QuarantineReport[];
  drift: DriftReport[];
  storage: StorageReport[];
  budgets: BudgetStanding[];
  /** Null where the config publishes nothing. */
  published: PublishedReport | null;
  runs: ReturnType<StatusQueries['runs']>;
}

/** The same, and what was saved: to count that takes longer than all the rest. */
export type Report = Omit<Standing, 'budgets'> & { budgets: BudgetReport[] };

export interface PublishedReport {
  file: string;
  /** Null where it is not there. */
  published_at: string | null;
  /** The live file has changes that it does not show. */
  behind: boolean;
}

export interface PackageReport {
  account: string;
  package_id: number;
  name: string | null;
  videos: number;
  /** Pages of the list when it was last walked whole; null before that. */
  pages: number | null;
  walked_at: string | null;
  order: 'trusted' | 'untrusted' | null;
  held_back: number;
  stale: boolean;
  /** How the last walk ended, and the error of one that failed. */
  last_walk: string | null;
  last_error: string | null;
}

/** The removals of a package that are held back, with the command that lets exactly these through. */
export type HeldBackReport = ReturnType<StatusQueries['heldBack']>[number] & { command: string };
export type QuarantineReport = ReturnType<StatusQueries['quarantine']>[number];
export type DriftReport = ReturnType<StatusQueries['drift']>[number];

export interface StorageReport {
  account: string;
  read_at: string | null;
  booked_through: string | null;
  gaps: number;
  gaps_given_up: number;
  /** Days whose implausible figures wait for a second reading, the newest first. */
  waiting: WaitingDay[];
  /** Booked days that the service now reports differently, the newest first. */
  discrepancies: DiscrepancyDay[];
  stale: boolean;
}

export interface BudgetStanding {
  account: string;
  per_second: Window;
  per_minute: Window;
  per_day: Window;
  /** The restriction in force, or the one whose rate is still coming back until `back_at`; null where there is none. */
  pause: { until: string; reason: string; since: string; back_at: string; in_force: boolean } | null;
}

export interface BudgetReport extends BudgetStanding {
  /** In the last seven days: quick looks, the requests that they saved, and pages that were known by their bytes. */
  saved: Savings;
}

interface Window {
  spent: number;
  limit: number | null;
  /** Places left in the window; null where there is no limit. */
  left: number | null;
}

/** What a report is gathered from. */
export interface ReportParts extends StreamParts {
  overview: StatusQueries;
  /** Null where the config publishes nothing. */
  publisher: Pick<Publisher, 'isBehind'> | null;
  /** Writes the commands that the report names. */
  typed: FormatCommand;
}

/** Gathers the report at `now` (ms). */
export function createReport(parts: ReportParts, now: number): Report {
  const standing = createStanding(parts, now, RUNS);
  const budgets = standing.budgets.map((row) => ({
    ...row,
    saved: parts.overview.savings(row.account, now),
  }));
  return { ...standing, budgets };
}

const RUNS = 5;

/** Gathers how things stand at `now` (ms), with so many runs, the newest first. */
export function createStanding(parts: ReportParts, now: number, runs: number): Standing {
  const { config, overview, typed } = parts;
  const isConfigured = ({ account }: { account: string }) =>
    config.accounts.some(({ name }) => name === account);
  const known = overview.packages();
  const streams = listStreams(parts, now, known);
  const held = byPackage(overview.heldBack());
  const facts = {
    warehouse: config.warehouse,
    packages: packageReports(config, byPackage(known), streams, held),
    held_back: heldBackReports(config, held, typed),
    quarantine: overview.quarantine().filter(isConfigured),
    drift: overview.drift().filter(isConfigured),
    storage: config.accounts.flatMap((account) => storageReport(account, overview, streams)),
    budgets: config.accounts.map((account) => budgetReport(account, overview, now)),
    published: publishedReport(parts, now),
    runs: overview.runs(runs),
  };
  return { ...facts, needs: needsOf(facts, { config, overview, now, typed }) };
}

function publishedReport({ config, publisher }: ReportParts, now: number): PublishedReport | null {
  if (!publisher || !config.publish) return null;
  const { file } = config.publish;
  return { file, published_at: publishedFact(file, 'published_at'), behind: publisher.isBehind(now) };
}

type Known = ReadonlyMap<string, ReturnType<StatusQueries['packages']>[number]>;
type Held = ReadonlyMap<string, ReturnType<StatusQueries['heldBack']>[number]>;

/** The packages of the config: also those that no run has met yet, and none that was taken out of it since. */
function packageReports(config: Config, known: Known, streams: readonly Stream[], held: Held) {
  const stale = new Set(
    streams.flatMap(({ isStale, account, packageId }) => (isStale ? `${account}/${packageId}` : [])),
  );
  return config.accounts.flatMap(({ name: account, packages }) =>
    packages.map(({ id, name }): PackageReport => {
      const key = keyOf({ account, package_id: id });
      const row = known.get(key);
      return {
        account,
        package_id: id,
        name,
        videos: row?.live_count ?? 0,
        pages: row ? pagesOf(row) : null,
        walked_at: row?.walked_at ?? null,
        order: row?.order ?? null,
        held_back: held.get(key)?.removals ?? 0,
        stale: stale.has(key),
        last_walk: row?.last_walk ?? null,
        last_error: row?.last_error ?? null,
      };
    }),
  );
}

function pagesOf({ totalcount, page_size: size }: { totalcount: number | null; page_size: number | null }) {
  return totalcount === null || !size ? null : Math.ceil(totalcount / size);
}

/** Of the packages of the config, as above. */
function heldBackReports(config: Config, held: Held, typed: FormatCommand): HeldBackReport[] {
  const commandFor = acceptRemovalsCommands(typed, config.accounts);
  return config.accounts.flatMap(({ name: account, packages }) =>
    packages.flatMap(({ id }) => {
      const row = held.get(keyOf({ account, package_id: id }));
      return row ? [{ ...row, command: commandFor(row) }] : [];
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
  account: AccountConfig,
  overview: StatusQueries,
  streams: readonly Stream[],
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
      waiting: overview.waitingDays(account.name),
      discrepancies: overview.discrepancies(account.name),
      stale: streams.some((each) => each.isStale && each.packageId === null && each.account === account.name),
    },
  ];
}

function budgetReport({ name, limits }: AccountConfig, overview: StatusQueries, now: number): BudgetStanding {
  const spent = overview.spentRequests(name, now);
  return {
    account: name,
    per_second: windowOf(spent.second, limits.perSecond),
    per_minute: windowOf(spent.minute, limits.perMinute),
    per_day: windowOf(spent.day, limits.perDay),
    pause: pauseOf(overview, name, now),
  };
}

function windowOf(spent: number, limit: number | null): Window {
  return { spent, limit, left: limit === null ? null : Math.max(0, limit - spent) };
}

function pauseOf(overview: StatusQueries, account: string, now: number): BudgetStanding['pause'] {
  const pause = overview.pause(account, now);
  if (!pause) return null;
  const { until, reason, since, full_rate_at: back_at } = pause;
  return { until, reason, since, back_at, in_force: fromTimestamp(until) > now };
}

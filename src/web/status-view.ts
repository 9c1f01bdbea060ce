/** What the status page shows, gathered from the live file. */
import { createCalendar } from '../lib/calendar.ts';
import { toTimestamp } from '../lib/clock.ts';
import { addDays } from '../lib/days.ts';
import { createStanding, type ReportParts, type Standing } from '../health/report.ts';
import { isOutOfOrder } from '../health/package-problems.ts';
import type { PageQueries } from '../queries/page-queries.ts';
import type { Added, Edited, Removed } from '../queries/named/changes.ts';
import type { GapRow, StorageDayRow } from '../queries/named/storage.ts';
import { toRunProgress, toChangeMarker, type RunProgress } from './run-progress.ts';
import { getOverallStatus, type OverallStatus } from '../health/overall-status.ts';

/** What of it is wished for: from the query of the address. */
export interface StatusQuery {
  /** Packages whose name or number holds this; null: all. */
  find: string | null;
  /** Which hundred of them, from 1 up. */
  page: number;
  /** The account whose storage is shown; null: the first. */
  storage: string | null;
}

export type PackageRowView = Standing['packages'][number] & { sizes: { date: string; videos: number }[] };

export interface StatusView {
  /** Milliseconds since 1970. */
  now: number;
  stamp: string;
  standing: Standing;
  /** The command that lists all needs. */
  allNeeds: string;
  verdict: OverallStatus;
  progress: RunProgress | null;
  /** When the next full run is due, in milliseconds since 1970. */
  nextRun: number;
  /** A full run over everything is under way: it reads what was never read. */
  isLoading: boolean;
  /** Null where no account has storage statistics. */
  storage: StorageView | null;
  packages: {
    rows: PackageRowView[];
    found: number;
    all: number;
    page: number;
    pages: number;
    find: string | null;
  };
  added: Added[];
  edited: Edited[];
  removed: Removed[];
}

export interface StorageView {
  account: string;
  /** All accounts that have storage statistics. */
  accounts: string[];
  days: StorageDayRow[];
  gaps: GapRow[];
  /** Of the service's calendar, as `YYYY-MM-DD`. */
  today: string;
}

/** What the facts are gathered from. */
export interface FactParts extends ReportParts {
  details: PageQueries;
  /** When the next full run is due after `now` (both in ms). */
  nextRun: (now: number) => number;
}

const RUNS = 10;
const CHANGES = 10;
const PACKAGES_A_PAGE = 100;
const SIZE_DAYS = 30;

/** Gathers the facts at `now` (ms). Throws WarehouseError where the live file cannot be read. */
export function createStatusView(parts: FactParts, wish: StatusQuery, now: number): StatusView {
  const { details } = parts;
  const running = details.running();
  const isLoading = running !== null && running.mode === 'full' && running.scope === null;
  const standing = withoutFirstReads(createStanding(parts, now, RUNS), isLoading);
  return {
    now,
    stamp: toChangeMarker(details.stamp(), running, now),
    standing,
    allNeeds: parts.typed('status --json'),
    verdict: getOverallStatus(standing, now, isLoading),
    progress: running && toRunProgress(running, standing.packages.length, now),
    nextRun: parts.nextRun(now),
    isLoading,
    storage: createStorageView(parts, wish.storage, now),
    packages: packageFacts(standing, details, wish, now),
    added: details.added(CHANGES),
    edited: details.edited(CHANGES),
    removed: details.removed(CHANGES),
  };
}

/** What was never read is no need while a run is about to read it: not one that was asked for something else. */
function withoutFirstReads(standing: Standing, isLoading: boolean): Standing {
  if (!isLoading) return standing;
  return { ...standing, needs: standing.needs.filter(({ isFirstRead }) => !isFirstRead) };
}

/** The storage of an account; of the first that has any where it is not named, or has none. */
export function createStorageView(
  { config, details }: FactParts,
  name: string | null,
  now: number,
): StorageView | null {
  const having = config.accounts.filter(({ storage }) => storage !== null);
  const shown = having.find((account) => account.name === name) ?? having[0];
  if (!shown) return null;
  return {
    account: shown.name,
    accounts: having.map((account) => account.name),
    days: details.storageDays(shown.name),
    gaps: details.gaps(shown.name, shown.storage?.since ?? ''),
    today: createCalendar(config.timezone).dayAt(now),
  };
}

/** What needs a look comes first; else the order of the config. */
function packageFacts({ packages }: Standing, details: PageQueries, wish: StatusQuery, now: number) {
  const found = packages.filter((row) => isFound(row, wish.find));
  const ordered = [...found.filter(needsLook), ...found.filter((row) => !needsLook(row))];
  const pages = Math.max(1, Math.ceil(ordered.length / PACKAGES_A_PAGE));
  const page = Math.min(pages, wish.page);
  const since = addDays(toTimestamp(now).slice(0, 10), -SIZE_DAYS);
  const rows = ordered.slice((page - 1) * PACKAGES_A_PAGE, page * PACKAGES_A_PAGE).map((row) => ({
    ...row,
    sizes: details.sizes({ account: row.account, packageId: row.package_id }, since),
  }));
  return { rows, found: found.length, all: packages.length, page, pages, find: wish.find };
}

type PackageRow = Standing['packages'][number];

function isFound({ account, package_id: id, name }: PackageRow, find: string | null): boolean {
  return find === null || `${account}/${id} ${name ?? ''}`.toLowerCase().includes(find.toLowerCase());
}

function needsLook(row: PackageRow): boolean {
  const isUnwell = row.last_walk === 'failed' || row.last_walk === 'partial';
  return row.stale || row.held_back > 0 || isUnwell || isOutOfOrder(row);
}

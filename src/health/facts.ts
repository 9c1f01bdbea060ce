/** The facts in which problems are found. docs/json.md describes those that `status --json` prints. */
import type { AccountConfig, Config } from '../config/config.ts';
import { countPages } from '../service/count-pages.ts';
import { fromTimestamp, toTimestamp } from '../lib/clock.ts';
import { nextTick } from '../lib/cron-ticks.ts';
import { PUBLISHED_FILE } from '../publishing/targets/load-report.ts';
import { redact, redactAll } from '../lib/redact.ts';
import type { Db } from '../database/connection.ts';
import type { Query } from '../database/query.ts';
import { readLiveHolder, type Holder } from '../database/lock.ts';
import { publishedFact } from '../publishing/about-rows.ts';
import type { Publisher } from '../publishing/publisher.ts';
import { LAST_BACKUP } from '../queries/named/backups.ts';
import * as failures from '../queries/named/failures.ts';
import { readPackages as readPackageRows, type PackageStatus } from '../queries/named/packages.ts';
import { readRuns } from '../queries/named/runs.ts';
import { DRIFT, PAUSE, readHeldBack, readQuarantine, SPENT_REQUESTS } from '../queries/named/status.ts';
import { OPEN_DISCREPANCIES, STORAGE, WAITING_DAYS } from '../queries/named/storage.ts';
import { TARGET_LOADS } from '../queries/named/targets.ts';
import { findOverdueSince } from './overdue-backup.ts';
import { acceptRemovalsCommands } from './commands.ts';
import type { FormatCommand } from '../lib/shell-command.ts';
import { keyOfPackage, type PackageRow } from '../sync/package-key.ts';
import { isAccountStream } from '../sync/streams.ts';
import { listStreams, type Stream, type StreamParts } from './streams.ts';
import { readTargets } from './targets.ts';
import { findOverdueRun, findStoppedAccounts, isFirstReadDue } from './reading.ts';

export type HealthFacts = ReturnType<typeof readHealthFacts>;
export type PackageReport = HealthFacts['packages'][number];
export type BudgetReport = HealthFacts['budgets'][number];

export interface HealthParts extends StreamParts {
  config: Config;
  /** The live file. */
  db: Db;
  /** Null if the config publishes nothing, or if the caller does not need it. */
  publisher: Pick<Publisher, 'isBehind' | 'dueAt' | 'findRefusal'> | null;
  formatCommand: FormatCommand;
  /** CSV files of packages that cannot be used; left out in the worker, which notes them itself. */
  unusableFiles?: readonly { account: string; problem: string }[];
  /**
   * Streams that were never read are overdue two ticks after this time (ms). Where it is left out, they are
   * overdue as soon as another one was read or failed.
   */
  watchedSince?: number;
}

/**
 * Reads the facts at `now` (ms), with this number of runs, the newest first. Throws WarehouseError if the
 * file cannot be read.
 */
export function readHealthFacts(parts: HealthParts, now: number, runs: number) {
  const { config, db, formatCommand } = parts;
  const { accounts } = config;
  const worker = readLiveHolder(config.warehouse, 'worker');
  const rows = readPackageRows(db);
  const streams = listStreams(parts, now, rows);
  const acceptCommand = acceptRemovalsCommands(formatCommand, accounts);
  const isConfigured = createConfigFilter(config);
  const heldBack = readHeldBack(db).filter(isConfigured);
  const runRows = readRuns(db, runs);
  const packages = readPackages(streams, rows, heldBack);
  const found = readFailures(parts, { streams, packages, isConfigured });
  const isOfAccount = ({ account }: { account: string }) => accounts.some(({ name }) => name === account);
  return {
    now,
    formatCommand,
    packages,
    streams,
    /** Reads rows that only one kind of problem needs, without secrets. */
    read: <Row, Params extends object>(query: Query<Row, Params>, params: Params): Row[] =>
      redactAll(query.all(db, params), config.secrets),
    config: { accounts, publish: config.publish, timezone: config.timezone },
    warehouse: config.warehouse,
    heldBack: heldBack.map((row) => ({ ...row, command: acceptCommand(row) })),
    quarantine: readQuarantine(db).filter(isOfAccount),
    drift: DRIFT.all(db).filter(isOfAccount),
    storage: accounts.flatMap((account) => readStorage(account, db, streams)),
    budgets: accounts.map((account) => readBudget(account, parts, now)),
    ...readPublication(parts, now),
    targets: readTargets(parts),
    runs: runRows,
    ...found,
    overdueRunSince: findOverdueRun(parts, runRows, streams, now),
    isFirstReadDue: isFirstReadDue(parts, { runs: runRows, streams, ...found }, now),
    unusableFiles: parts.unusableFiles ?? [],
    ...readWorker(worker, config, now),
    ...readBackups(worker, parts, now),
  };
}

/** The row without secrets in its error. */
const redactError = <Row extends { error: string | null }>(row: Row, { secrets }: Config): Row => ({
  ...row,
  error: row.error && redact(row.error, secrets),
});

interface FailureParts {
  streams: readonly Stream[];
  packages: ReturnType<typeof readPackages>;
  isConfigured: ReturnType<typeof createConfigFilter>;
}

/** What failed in the last runs: the run itself, walks, storage, and accounts that were given up. */
function readFailures(parts: HealthParts, { streams, packages, isConfigured }: FailureParts) {
  const { config, db } = parts;
  const failedRun = failures.FAILED_RUN.get(db) ?? null;
  const failedWalks = failures.FAILED_WALKS.all(db).filter(isConfigured);
  const streamFailures = streams.flatMap((stream) => readStreamFailure(stream, parts));
  const failing = new Set([
    ...failedWalks.map(({ account }) => account),
    ...streamFailures.map(({ account }) => account),
  ]);
  return {
    failedRun: failedRun && redactError(failedRun, config),
    failedWalks: failedWalks.map((row) => redactError(row, config)),
    streamFailures,
    hasFailures: failing.size > 0,
    stoppedAccounts: findStoppedAccounts(parts, packages).filter(({ account }) => failing.has(account)),
  };
}

/** The returned function checks whether the config names the package of a row. */
export function createConfigFilter({ accounts }: Pick<Config, 'accounts'>): (row: PackageRow) => boolean {
  const configured = new Set(
    accounts.flatMap(({ name: account, packages }) =>
      packages.map(({ id }) => keyOfPackage({ account, package_id: id })),
    ),
  );
  return (row) => configured.has(keyOfPackage(row));
}

/** The packages of the config, also those that no run has read yet. */
function readPackages(
  streams: readonly Stream[],
  rows: readonly PackageStatus[],
  heldBack: ReturnType<typeof readHeldBack>,
) {
  const byKey = new Map(rows.map((row) => [keyOfPackage(row), row]));
  const held = new Map(heldBack.map((row) => [keyOfPackage(row), row.removals]));
  return streams.flatMap(({ account, packageId, name, at, isStale, videos }) => {
    if (packageId === null) return [];
    const key = keyOfPackage({ account, package_id: packageId });
    const row = byKey.get(key);
    const { totalcount = null, page_size: size = null } = row ?? {};
    return {
      account,
      package_id: packageId,
      name,
      videos: videos ?? 0,
      pages: totalcount === null || !size ? null : countPages(totalcount, size),
      walked_at: at,
      order: row?.order ?? null,
      held_back: held.get(key) ?? 0,
      stale: isStale,
      last_walk: row?.last_walk ?? null,
      last_error: row?.last_error ?? null,
    };
  });
}

function readStorage({ name: account, storage }: AccountConfig, db: Db, streams: readonly Stream[]) {
  if (!storage) return [];
  const status = STORAGE.one(db, { account, since: storage.since ?? '' });
  return [
    {
      account,
      read_at: status.read_at,
      booked_through: status.booked_through,
      gaps: status.open_gaps,
      gaps_given_up: status.given_up_gaps,
      waiting: WAITING_DAYS.all(db, { account }),
      discrepancies: OPEN_DISCREPANCIES.all(db, { account }),
      stale: streams.some((each) => each.isStale && each.stream === 'storage' && each.account === account),
    },
  ];
}

/** Why a stream that an account has once could not be read; none if no run over everything failed at it. */
function readStreamFailure({ account, stream, at }: Stream, { config, db }: HealthParts) {
  if (!isAccountStream(stream)) return [];
  // a reading after a failure proves that it is over
  const failed = failures.STREAM_FAILURES.all(db, { account, stream, read_at: at ?? '' });
  const [last] = failed;
  if (!last) return [];
  const error = redact(last.message, config.secrets);
  return [{ account, stream, kind: last.kind, error, since: failed.at(-1)?.finished_at ?? null }];
}

function readBudget({ name: account, limits }: AccountConfig, { config, db }: HealthParts, now: number) {
  const spent = SPENT_REQUESTS.one(db, { account, now_ms: now });
  const toWindow = (count: number, limit: number | null) => ({
    spent: count,
    limit,
    left: limit === null ? null : Math.max(0, limit - count),
  });
  const pause = PAUSE.get(db, { account, at: toTimestamp(now) });
  return {
    account,
    per_second: toWindow(spent.second, limits.perSecond),
    per_minute: toWindow(spent.minute, limits.perMinute),
    per_day: toWindow(spent.day, limits.perDay),
    /** Null where no pause is in force, and the rate does not rise again after one (until `back_at`). */
    pause: pause
      ? {
          until: pause.until,
          reason: redact(pause.reason, config.secrets),
          since: pause.since,
          back_at: pause.full_rate_at,
          in_force: fromTimestamp(pause.until) > now,
          of_restore: pause.of_restore === 1,
        }
      : null,
  };
}

function readPublication(parts: HealthParts, now: number) {
  const { config, publisher } = parts;
  const refusal = publisher?.findRefusal() ?? null;
  return {
    /** Null where nothing is published. */
    published: publisher &&
      config.publish && {
        file: config.publish.file,
        published_at: publishedFact(config.publish.file, 'published_at'),
        behind: publisher.isBehind(now),
      },
    /** Null where a publication may replace the file. */
    refusedPublication: refusal && redactError(refusal, config),
    failedPublication: readFailedPublication(parts, now),
    /** Since when the published file is being made; null: it is not. */
    publishingSince: readLiveHolder(config.warehouse, 'publish')?.since ?? null,
  };
}

/** Since when publications fail, and why; null where the last one did not fail, or none is due any more. */
function readFailedPublication({ config, publisher, db }: HealthParts, now: number) {
  const row = TARGET_LOADS.all(db).find(({ target }) => target === PUBLISHED_FILE);
  if (!row || !publisher || publisher.dueAt(now) === null) return null;
  const { failing_since: at, error, hint } = row;
  return { at, error: redact(error ?? '', config.secrets), hint: hint && redact(hint, config.secrets) };
}

/** The running worker, and a config or packages that it refused. */
function readWorker(worker: Holder | null, config: Config, now: number) {
  const { schedule } = config;
  return {
    hasWorker: worker !== null,
    /** The next full run of the worker; null: no worker is running. */
    nextRunAt: worker && toTimestamp(nextTick(schedule.full, now, schedule.timezone)),
    refusedConfig: worker?.refused ? redactError(worker.refused, config) : null,
    refusedPackages: worker?.packages ? redactError(worker.packages, config) : null,
  };
}

/** `backup`: null if the config has no backups. `overdueBackup`: since when one is overdue; null: none is. */
function readBackups(worker: Holder | null, { config, db }: HealthParts, now: number) {
  const { first_run_at: firstRunAt, ...last } = LAST_BACKUP.one(db);
  const times = { madeAt: last.made_at, firstRunAt, scheduledAt: worker?.backups?.since ?? null };
  return {
    backup: config.backup ? redactError(last, config) : null,
    overdueBackup: findOverdueSince(config, times, now),
  };
}

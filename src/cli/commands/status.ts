import type { Config } from '../../config/config.ts';
import { findWarehouse, loadConfigWithoutFiles } from '../../config/load.ts';
import { assertNotLost } from '../../app/lost-file.ts';
import { DAY_MS, systemClock, toTimestamp } from '../../lib/clock.ts';
import { commandsFor, type FormatCommand } from '../../lib/shell-command.ts';
import { getOverallStatus } from '../../health/overall-status.ts';
import { toUrl } from '../../health/place.ts';
import { createHealthReport } from '../../health/report.ts';
import { createStaleCheck } from '../../health/streams.ts';
import { summarizeTarget } from '../../health/targets.ts';
import { withKnownPackages } from '../../health/known-packages.ts';
import { readSchedule } from '../../health/schedule.ts';
import { openPublisher } from '../../publishing/publisher.ts';
import { readLiveFile, type Db } from '../../database/connection.ts';
import { readLiveHolder } from '../../database/lock.ts';
import { LAST_REQUESTS, SAVINGS } from '../../queries/named/status.ts';
import type { JsonOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { formatJson } from '../output/output.ts';
import { listNeeds, requestsText, statusText, workerText, type Report } from '../output/status-text.ts';

const MAX_REQUESTS = 30;
const MAX_RUNS = 5;
/** The number of days over which the requests are counted that quick walks saved. */
const SAVINGS_DAYS = 7;

export type StatusOptions = JsonOptions & { requests?: true };

/** `vodhouse status`: prints how everything is. Returns the exit code, 3 if anything needs attention. */
export async function status(options: StatusOptions): Promise<number> {
  const loaded = loadOrNameWorker(options);
  const { config } = loaded;
  const formatCommand = commandsFor(options.config);
  assertNotLost(config, formatCommand);
  if (options.requests) {
    const requests = readLiveFile(config.warehouse, (db) => LAST_REQUESTS.all(db, { limit: MAX_REQUESTS }));
    process.stdout.write(options.json ? formatJson({ requests }) : requestsText(requests));
    return EXIT.done;
  }
  const now = systemClock.now();
  const report = readLiveFile(config.warehouse, (db) => readReport(db, loaded, formatCommand, now));
  process.stdout.write(options.json ? reportJson(report, config) : statusText(report, now));
  return listNeeds(report).length > 0 ? EXIT.partial : EXIT.done;
}

type LoadedConfig = ReturnType<typeof loadConfigWithoutFiles>;

/** Throws ConfigError for a config with problems; before that, it prints that a running worker continues. */
function loadOrNameWorker({ config, json }: StatusOptions): LoadedConfig {
  try {
    return loadConfigWithoutFiles(config);
  } catch (error) {
    const worker = readLiveHolder(findWarehouse(config), 'worker');
    if (worker && !json) process.stdout.write(`${workerText(worker)}; it continues with the config it had\n`);
    throw error;
  }
}

/** An account whose CSV file of packages cannot be used has those that the live file knows. */
function readReport(
  db: Db,
  { config: written, unusable }: LoadedConfig,
  formatCommand: FormatCommand,
  now: number,
): Report {
  const accounts = unusable.map(({ account }) => account);
  const config = withKnownPackages(written, accounts, db);
  const publisher = openPublisher(config, 'status');
  const isStale = createStaleCheck(config.schedule);
  const parts = { config, db, publisher, formatCommand, isStale, unusableFiles: unusable };
  const health = createHealthReport(parts, now, MAX_RUNS);
  const since = toTimestamp(now - SAVINGS_DAYS * DAY_MS).slice(0, 10);
  const budgets = health.budgets.map((row) => ({
    ...row,
    saved: SAVINGS.one(db, { account: row.account, since }),
  }));
  return { ...health, budgets, ...readSchedule(config, health.runs.length === 0 ? null : publisher, now) };
}

/** The JSON document (docs/json.md). */
function reportJson(report: Report, config: Config): string {
  const targets = report.targets.map((target) => {
    const { upToDate, loadedAt, verifiedAt } = summarizeTarget(target);
    return { ...target, loadedAt, verifiedAt, upToDate: upToDate === target.accounts.length };
  });
  const problems = report.items.map(({ kind, scope, place, ...item }) => ({
    event: kind,
    account: scope.account,
    packageId: scope.packageId,
    ...item,
    url: toUrl(config, place),
  }));
  return formatJson({
    level: getOverallStatus(report).level,
    warehouse: report.warehouse,
    worker: report.worker,
    next: report.next,
    needs: listNeeds(report),
    problems,
    packages: report.packages,
    heldBack: report.heldBack,
    quarantine: report.quarantine,
    drift: report.drift,
    storage: report.storage,
    budgets: report.budgets,
    published: report.published,
    targets,
    backup: report.backup,
    runs: report.runs,
  });
}

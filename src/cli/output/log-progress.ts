/** Writes what walks, runs and publications did as log lines. */
import type { WalkChange } from '../../database/schema/values.ts';
import { isNotable } from '../../health/run-causes.ts';
import { fromTimestamp, type Clock } from '../../lib/clock.ts';
import { formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import type { Logger } from '../../lib/logger.ts';
import { formatSelector } from '../../sync/package-selector.ts';
import type { Publication } from '../../publishing/publisher.ts';
import type { RunSummary } from '../../sync/run.ts';
import type { Progress } from '../../sync/context.ts';
import type { WalkRow } from '../../warehouse/statements/walk.ts';
import { publicationLine } from './publication-text.ts';

/** The shortest time between two lines about the position of a walk, in milliseconds. */
const LOG_EVERY_MS = 5_000;

/** Which walks are logged at `info` when they end; `notable`: those that changed something or failed. */
export type LoggedWalks = 'all' | 'notable' | 'none';

/** Logs at `info` the positions of long walks, and the ends that `logged` selects; all others at `debug`. */
export function createLogProgress(clock: Clock, logger: Logger, logged: LoggedWalks): Progress {
  const walks = new Map<string, { startedAt: number; loggedAt: number; records: number }>();
  return {
    walkStarted({ account, packageId, pages }) {
      const now = clock.now();
      const name = formatSelector({ account, packageId });
      walks.set(name, { startedAt: now, loggedAt: now, records: 0 });
      const level = logged === 'all' ? 'info' : 'debug';
      const facts = { account, package_id: packageId, pages };
      logger[level]({ event: 'walk_started', ...facts }, `${name}: ${pluralize(pages, 'page')} to read`);
    },
    pageStored({ account, packageId, page, records }) {
      const name = formatSelector({ account, packageId });
      const walk = walks.get(name);
      if (!walk) return;
      const now = clock.now();
      walk.records += records;
      if (page === 1 || now - walk.loggedAt < LOG_EVERY_MS) return;
      walk.loggedAt = now;
      const rate = Math.round((walk.records / Math.max(1, now - walk.startedAt)) * 1000);
      const message = `${name}: page ${formatCount(page)} stored, ${formatCount(rate)} records/s`;
      const facts = { account, package_id: packageId, page, records: walk.records };
      logger.info({ event: 'page_stored', ...facts }, message);
    },
    packageDone(key, row) {
      const name = formatSelector(key);
      const startedAt = walks.get(name)?.startedAt;
      walks.delete(name);
      if (!row) return;
      const isLogged = logged === 'all' || (logged === 'notable' && isNotable(row));
      const duration_ms = clock.now() - (startedAt ?? fromTimestamp(row.started_at));
      logWalk(logger, isLogged ? 'info' : 'debug', row, Math.max(0, duration_ms));
    },
  };
}

function logWalk(logger: Logger, level: 'info' | 'debug', walk: WalkRow, duration_ms: number): void {
  const { run_id, account, package_id, mode, status, requests } = walk;
  const { added, edited, removed, restored, unchanged } = walk;
  const changes = { added, edited, removed, restored };
  const cost = `${pluralize(requests, 'request')}, ${formatDuration(duration_ms)}`;
  const key = { run_id, account, package_id, mode, status };
  logger[level](
    { event: 'walk_ended', ...key, ...changes, unchanged, requests, duration_ms },
    `${account}/${package_id}: ${status}: ${formatChanges(changes)}; ${cost}`,
  );
}

const formatChanges = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${kind} ${formatCount(count)}`)
    .join(', ');

/** Logs what a run did, in one line. */
export function logRun(logger: Logger, { runId, mode, status, requests, ...run }: RunSummary): void {
  const sum = (kind: WalkChange) => run.walks.reduce((total, walk) => total + walk[kind], 0);
  const changes = {
    added: sum('added'),
    edited: sum('edited'),
    removed: sum('removed'),
    restored: sum('restored'),
  };
  const cost = `${pluralize(requests, 'request')}, ${formatDuration(run.durationMs)}`;
  // why a run was parked was logged when it was parked
  const isExpected = status === 'succeeded' || status === 'parked';
  const cause = { event: 'run_ended', run_id: runId, mode, status, packages: run.packagesDone } as const;
  logger[isExpected ? 'info' : 'warn'](
    { ...cause, ...changes, requests, duration_ms: run.durationMs },
    `${mode} run ${runId} ${status}: ${formatChanges(changes)}; ${cost}`,
  );
}

/** Logs what a publication did, in one line. */
export function logPublication(logger: Logger, publication: Publication): void {
  const { file, bytes, durationMs } = publication;
  const facts = { file, bytes, duration_ms: durationMs };
  logger.info({ event: 'published', ...facts }, publicationLine(publication));
}

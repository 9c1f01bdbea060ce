/** Progress of walks as log lines. */
import type { Clock } from '../../lib/clock.ts';
import { formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import type { Logger } from '../../lib/logger.ts';
import { formatSelector } from '../../sync/package-selector.ts';
import type { Progress } from '../../sync/context.ts';

/** How often a walk logs its position, in milliseconds. */
const LOG_EVERY_MS = 5_000;

/** Starts and ends of walks are logged at `level`, their positions at `info`. */
export function createLogProgress(clock: Clock, logger: Logger, level: 'info' | 'debug'): Progress {
  const walks = new Map<string, { startedAt: number; loggedAt: number; records: number }>();
  return {
    walkStarted(key) {
      const now = clock.now();
      walks.set(formatSelector(key), { startedAt: now, loggedAt: now, records: 0 });
      logger[level](`${formatSelector(key)}: ${pluralize(key.pages, 'page')} to read`);
    },
    pageStored(stored) {
      const name = formatSelector(stored);
      const walk = walks.get(name);
      if (!walk) return;
      const now = clock.now();
      walk.records += stored.records;
      if (stored.page === 1 || now - walk.loggedAt < LOG_EVERY_MS) return;
      walk.loggedAt = now;
      const rate = Math.round((walk.records / Math.max(1, now - walk.startedAt)) * 1000);
      logger.info(`${name}: page ${formatCount(stored.page)} stored, ${formatCount(rate)} records/s`);
    },
    walkEnded(key) {
      const name = formatSelector(key);
      const walk = walks.get(name);
      if (!walk) return;
      walks.delete(name);
      const duration = formatDuration(clock.now() - walk.startedAt);
      logger[level](`${name}: ${pluralize(walk.records, 'record')} read in ${duration}`);
    },
  };
}

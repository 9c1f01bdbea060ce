/** What a run and a publication did, as one log line each. */
import { formatCount, formatDuration, pluralize } from '../../lib/format.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Publication } from '../../publishing/publisher.ts';
import type { RunSummary } from '../../sync/run.ts';
import { publicationLine } from './publication-text.ts';

export function logRun(logger: Logger, { runId, mode, status, requests, ...run }: RunSummary): void {
  const sum = (kind: 'inserted' | 'updated' | 'removed' | 'restored') =>
    run.walks.reduce((total, walk) => total + walk[kind], 0);
  const changes = {
    inserted: sum('inserted'),
    updated: sum('updated'),
    removed: sum('removed'),
    restored: sum('restored'),
  };
  const counts = Object.entries(changes).map(([kind, count]) => `${kind} ${formatCount(count)}`);
  const cost = `${pluralize(requests, 'request')}, ${formatDuration(run.durationMs)}`;
  const isExpected = status === 'succeeded' || status === 'parked'; // the reason for parking is logged where it arises
  const cause = { event: 'run_ended', run_id: runId, mode, status, packages: run.packagesDone } as const;
  logger[isExpected ? 'info' : 'warn'](
    { ...cause, ...changes, requests, duration_ms: run.durationMs },
    `${mode} run ${runId} ${status}: ${counts.join(', ')}; ${cost}`,
  );
}

export function logPublication(logger: Logger, publication: Publication): void {
  const { file, bytes, durationMs } = publication;
  const facts = { file, bytes, duration_ms: Math.round(durationMs) };
  logger.info({ event: 'published', ...facts }, publicationLine(publication));
}

import { formatDuration } from '../lib/format.ts';
import type { Logger } from '../lib/logger.ts';
import type { SentRequest } from '../service/client/execute.ts';

/** Logs a request that was sent, at level `debug`. */
export function logRequest(logger: Logger, account: string, sent: SentRequest): void {
  const {
    purpose,
    runId: run_id,
    packageId: package_id,
    page,
    status,
    bytes,
    durationMs: duration_ms,
  } = sent;
  const target = [account, package_id].filter((part) => part !== null).join('/');
  logger.debug(
    { event: 'request_answered', account, run_id, package_id, page, purpose, status, bytes, duration_ms },
    `${target}${page === null ? '' : `, page ${page}`} (${purpose}): ${status ?? 'no response'} in ${formatDuration(duration_ms)}`,
  );
}

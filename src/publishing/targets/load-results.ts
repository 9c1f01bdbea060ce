/** The results of a load, also where a newer published file replaced the one that was being loaded. */
import { isLoadDone } from '../../lib/load-report.ts';
import type { LoadResult } from './target-request.ts';

export const isDone = (result: LoadResult | undefined): boolean => result !== undefined && isLoadDone(result);

/** What only the newest load can tell; the other kinds tell what happened. */
const SETTLED = ['booked_differs', 'columns_missing', 'left_behind'];

/** Adds a result; an earlier one of the same account, from an older published file, becomes a part of it. */
export function addResult(results: Map<string, LoadResult>, result: LoadResult): void {
  const earlier = results.get(result.account);
  results.set(result.account, earlier && isDone(earlier) ? mergeResults(earlier, result) : result);
}

function mergeResults(earlier: LoadResult, result: LoadResult): LoadResult {
  const isLoaded = earlier.outcome === 'loaded' && isDone(result);
  const messages = new Set(result.findings.map(({ message }) => message));
  const kept = earlier.findings.filter(
    ({ kind, message }) => !SETTLED.includes(kind) && !messages.has(message),
  );
  return {
    ...result,
    outcome: isLoaded ? 'loaded' : result.outcome,
    rows: earlier.rows + result.rows,
    durationMs: earlier.durationMs + result.durationMs,
    verified: result.verified ?? earlier.verified,
    findings: [...kept, ...result.findings],
  };
}

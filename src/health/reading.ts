/** What the last runs show together: accounts that were given up, runs that do not begin, first reads. */
import type { Config } from '../config/config.ts';
import type { Db } from '../database/connection.ts';
import { toTimestamp } from '../lib/clock.ts';
import { redact } from '../lib/redact.ts';
import { STREAM_KINDS } from '../sync/streams.ts';
import { LAST_FAILURES, type LastFailure } from '../queries/named/failures.ts';
import type { RunRow } from '../queries/named/runs.ts';
import type { IsStale, Stream } from './streams.ts';
import { groupBy, withoutSubject } from './text.ts';

interface ReadingParts {
  config: Pick<Config, 'accounts' | 'secrets'>;
  db: Db;
  isStale: IsStale;
  watchedSince?: number;
}

/**
 * Failures of one kind in every package of an account have one cause from this number on; one of its storage
 * counts too.
 */
const SAME_FAILURES = 2;

/** Faults of a service, not of an account: all accounts at its address have them. */
const SERVICE_FAULTS: readonly LastFailure['kind'][] = [
  'connection',
  'timeout',
  'status',
  'truncated',
  'html',
];

/**
 * Accounts that the last run over everything gave up, or whose packages all failed in the same way; or the
 * last full one, because a quick run leaves out packages that were never read.
 */
export function findStoppedAccounts(
  { config, db }: ReadingParts,
  packages: readonly { account: string; walked_at: string | null }[],
) {
  const rows = groupBy(LAST_FAILURES.all(db), ({ account }) => account);
  return config.accounts.flatMap((configured) => {
    const account = configured.name;
    const runs = groupBy(rows.get(account) ?? [], ({ run_id }) => String(run_id));
    const [first] = [...runs.values()].flatMap(
      (failures) => findCommonFailure(failures, configured.packages.length) ?? [],
    );
    if (!first) return [];
    const { run_id, started_at, finished_at } = first;
    const error = redact(withoutSubject(first.message, first), config.secrets);
    const unread = packages.filter((row) => row.account === account && (row.walked_at ?? '') < started_at);
    const { getAddress } = STREAM_KINDS[first.stream ?? 'videos'];
    const { host } = new URL(getAddress(configured) ?? configured.videoList.baseUrl);
    const isOfService = SERVICE_FAULTS.includes(first.kind);
    const { kind } = first;
    return [{ account, run_id, finished_at, error, kind, host, isOfService, packages: unread.length }];
  });
}

/**
 * The failure that stopped an account in a run: all its packages had it in common, or the run left out the
 * others. `packages`: how many it has. Null where there is none.
 */
function findCommonFailure(failures: readonly LastFailure[], packages: number): LastFailure | null {
  const failed = failures.filter(({ kind }) => kind !== 'skipped');
  const kinds = [...groupBy(failed, ({ kind }) => kind).values()];
  const [most = []] = kinds.sort((one, other) => other.length - one.length);
  const walks = most.filter(({ package_id: id }) => id !== null);
  const isEvery = most.length >= SAME_FAILURES && walks.length === packages;
  return isEvery || failed.length < failures.length ? (walks[0] ?? most[0] ?? null) : null;
}

/** When the newest run began, if a stream is stale and no run has begun for two ticks; null: runs begin. */
export function findOverdueRun(
  { isStale }: ReadingParts,
  [newest]: readonly RunRow[],
  streams: readonly Stream[],
  now: number,
): string | null {
  if (!newest || newest.status === 'running' || !streams.some((each) => each.at !== null && each.isStale))
    return null;
  return isStale(newest.started_at, now) ? newest.started_at : null;
}

interface FirstReadFacts {
  runs: readonly RunRow[];
  streams: readonly Stream[];
  failedRun: unknown;
  hasFailures: boolean;
}

/** Whether streams that were never read are problems. They are none before the first run, and during it. */
export function isFirstReadDue(
  { isStale, watchedSince }: ReadingParts,
  facts: FirstReadFacts,
  now: number,
): boolean {
  const [last] = facts.runs;
  if (watchedSince !== undefined)
    return isStale(toTimestamp(watchedSince), now) && last?.status !== 'running';
  return !isReadingAll(last) && !isNothingRead(facts);
}

/** Whether the run is in progress, full and over everything. */
export const isReadingAll = (run: Pick<RunRow, 'status' | 'mode' | 'scope'> | null | undefined): boolean =>
  run?.status === 'running' && run.mode === 'full' && run.scope === null;

/** Whether nothing was ever read, and no run has failed at it. */
export function isNothingRead({ runs, streams, failedRun, hasFailures }: FirstReadFacts): boolean {
  const isFailed = failedRun !== null || hasFailures || runs.some(({ status }) => status === 'failed');
  return !isFailed && streams.every(({ at }) => at === null);
}

/** What became of each account in each target: one row per target and account. */
import { query } from '../../database/query.ts';
import type { Tx } from '../../database/connection.ts';
import type { targetLoad } from '../../database/schema/targets.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { isLoadDone, PUBLISHED_FILE, type LoadReport } from '../../publishing/targets/load-report.ts';

interface Stored extends Omit<LoadReport, 'differences'> {
  target: string;
  at: string;
  isLoaded: 0 | 1;
  isFailing: 0 | 1;
  differences: string | null;
}

/** Times are never replaced by earlier ones, so that a clock that was set back changes nothing. */
const upsert = query<never, Stored>(
  `insert into target_load (target, account, outcome, change_seq, attempted_at,
      loaded_at, failing_since,
      error, hint, code, loads, failures, rows,
      duration_ms, verified_at, differences)
    values (:target, :account, :outcome, :changeSeq, :at,
      iif(:isLoaded, :at, null), iif(:isFailing, :at, null),
      :error, :hint, :code, :isLoaded, :isFailing, :rows,
      iif(:isLoaded, :durationMs, 0), iif(:differences is null, null, :at), :differences)
    on conflict (target, account) do update set
      outcome = excluded.outcome, change_seq = coalesce(excluded.change_seq, change_seq),
      attempted_at = max(attempted_at, excluded.attempted_at),
      loaded_at = iif(:isLoaded, max(coalesce(loaded_at, :at), :at), loaded_at),
      failing_since = iif(:isFailing, coalesce(failing_since, max(coalesce(loaded_at, :at), :at)), null),
      error = excluded.error, hint = excluded.hint, code = excluded.code,
      loads = loads + excluded.loads, failures = failures + excluded.failures, rows = rows + excluded.rows,
      duration_ms = duration_ms + excluded.duration_ms,
      verified_at = iif(:differences is null, verified_at, max(coalesce(verified_at, :at), :at)),
      differences = coalesce(excluded.differences, differences)`,
).run;

/**
 * Records what became of each account in a load of the target, which ended at `now` (ms). The row of an
 * account that left the target is deleted.
 */
export function recordLoadReports(tx: Tx, target: string, reports: readonly LoadReport[], now: number): void {
  for (const report of reports) recordReport(tx, target, report, now);
}

function recordReport(tx: Tx, target: string, report: LoadReport, now: number): void {
  const { account, outcome, differences } = report;
  if (outcome === 'removed') {
    deleteLoad(tx, { target, account });
    return;
  }
  upsert(tx, {
    ...report,
    target,
    at: toTimestamp(now),
    isLoaded: isLoadDone(report) ? 1 : 0,
    isFailing: isLoadDone(report) ? 0 : 1,
    differences: differences && JSON.stringify(differences),
  });
}

const deleteLoad = query<never, { target: string; account: string }>(
  'delete from target_load where target = :target and account = :account',
).run;

/** All rows, by target and account. */
export const listTargetLoads = query<typeof targetLoad.$inferSelect>(
  'select * from target_load order by target, account',
).all;

const deleteOthers = query<never, { names: string }>(
  'delete from target_load where target not in (select value from json_each(:names))',
).run;

/** Forgets the targets that are not in the config any more. Returns the number of rows. */
export const deleteTargetLoadsExcept = (tx: Tx, names: readonly string[]): number =>
  deleteOthers(tx, { names: JSON.stringify([...names, PUBLISHED_FILE]) });

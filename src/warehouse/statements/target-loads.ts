/** What became of each account in each target: one row per target and account. */
import { sql } from 'drizzle-orm';
import { query } from '../../database/query.ts';
import type { Tx } from '../../database/connection.ts';
import { targetLoad } from '../../database/schema/targets.ts';
import { upsert } from '../../database/upsert.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { isLoadDone, PUBLISHED_FILE, type LoadReport } from '../../publishing/targets/load-report.ts';

/** The SQL of the later one of a time that is stored and a new one; null if there is neither. */
const later = (name: string) =>
  `max(coalesce(${name}, excluded.${name}), coalesce(excluded.${name}, ${name}))`;

/** Times are never replaced by earlier ones, so that a clock that was set back changes nothing. */
const upsertLoad = upsert(targetLoad, {
  set: {
    change_seq: sql`coalesce(excluded.change_seq, change_seq)`,
    attempted_at: sql.raw(later('attempted_at')),
    loaded_at: sql.raw(later('loaded_at')),
    failing_since: sql`iif(excluded.failing_since is null, null,
      coalesce(failing_since, max(coalesce(loaded_at, excluded.failing_since), excluded.failing_since)))`,
    loads: sql`loads + excluded.loads`,
    failures: sql`failures + excluded.failures`,
    rows: sql`rows + excluded.rows`,
    duration_ms: sql`duration_ms + excluded.duration_ms`,
    verified_at: sql.raw(later('verified_at')),
    differences: sql`coalesce(excluded.differences, differences)`,
  },
});

/**
 * Records what became of each account in a load of the target, which ended at `now` (ms). The row of an
 * account that left the target is deleted.
 */
export function recordLoadReports(tx: Tx, target: string, reports: readonly LoadReport[], now: number): void {
  for (const report of reports) {
    if (report.outcome === 'removed') deleteLoad(tx, { target, account: report.account });
    else recordReport(tx, target, report, toTimestamp(now));
  }
}

function recordReport(tx: Tx, target: string, report: LoadReport, at: string): void {
  const { changeSeq, durationMs, differences, ...rest } = report;
  const isLoaded = isLoadDone(report);
  upsertLoad(tx, {
    ...rest,
    target,
    change_seq: changeSeq,
    attempted_at: at,
    loaded_at: isLoaded ? at : null,
    failing_since: isLoaded ? null : at,
    loads: isLoaded ? 1 : 0,
    failures: isLoaded ? 0 : 1,
    duration_ms: isLoaded ? durationMs : 0,
    verified_at: differences && at,
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

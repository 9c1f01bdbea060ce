/** What became of each account in each target: one row per target and account. */
import { query } from '../../database/query.ts';
import type { Tx } from '../../database/connection.ts';
import { targetLoad } from '../../database/schema/targets.ts';
import { DAY_MS, fromTimestamp, toTimestamp } from '../../lib/clock.ts';
import { isLoadDone, type KeptFinding, type LoadReport } from '../../lib/load-report.ts';

/** States of the history that were set aside are told for so long; nothing else ends it. */
const SET_ASIDE_TOLD_MS = 7 * DAY_MS;

type Row = typeof targetLoad.$inferSelect;
/** A row, with its findings as objects. */
export type TargetLoad = Omit<Row, 'findings'> & { findings: KeptFinding[] };

interface Stored extends Omit<LoadReport, 'findings' | 'verified'> {
  target: string;
  at: string;
  isLoaded: 0 | 1;
  isFailing: 0 | 1;
  verified: 0 | 1 | null;
  findings: string;
}

/** Times never run backward: a clock that was set back leaves them. */
const upsert = query<never, Stored>(
  `insert into target_load (target, account, outcome, change_seq, attempted_at, loaded_at, failing_since, error, hint, code,
      held_by, held_until, loads, failures, rows, duration_ms, verified_at, verified, findings)
    values (:target, :account, :outcome, :changeSeq, :at, iif(:isLoaded, :at, null), iif(:isFailing, :at, null), :error, :hint,
      :code, :heldBy, :heldUntil, :isLoaded, :isFailing, :rows, iif(:isLoaded, :durationMs, 0),
      iif(:verified is null, null, :at), :verified, :findings)
    on conflict (target, account) do update set
      outcome = excluded.outcome, change_seq = coalesce(excluded.change_seq, change_seq),
      attempted_at = max(attempted_at, excluded.attempted_at),
      loaded_at = iif(:isLoaded, max(coalesce(loaded_at, :at), :at), loaded_at),
      failing_since = iif(:isFailing, coalesce(failing_since, max(coalesce(loaded_at, :at), :at)), null),
      error = excluded.error, hint = excluded.hint, code = excluded.code,
      held_by = excluded.held_by, held_until = excluded.held_until,
      loads = loads + excluded.loads, failures = failures + excluded.failures, rows = rows + excluded.rows,
      duration_ms = duration_ms + excluded.duration_ms,
      verified_at = iif(:verified is null, verified_at, max(coalesce(verified_at, :at), :at)),
      verified = coalesce(excluded.verified, verified), findings = excluded.findings`,
).run;

const selectFindings = query<{ findings: string }, { target: string; account: string }>(
  'select findings from target_load where target = :target and account = :account',
).get;

/** Records what became of an account in a load of the target, which ended at `now` (ms). */
export function recordLoadReport(tx: Tx, target: string, report: LoadReport, now: number): void {
  const at = toTimestamp(now);
  const earlier = parseFindings(selectFindings(tx, { target, account: report.account })?.findings ?? '[]');
  upsert(tx, {
    ...report,
    target,
    at,
    isLoaded: isLoadDone(report) ? 1 : 0,
    isFailing: report.outcome === 'failed' || report.outcome === 'refused' ? 1 : 0,
    verified: report.verified === null ? null : report.verified ? 1 : 0,
    findings: JSON.stringify(mergeFindings(earlier, report, at)),
  });
}

/** All rows, by target and account. */
export const listTargetLoads = (tx: Tx): TargetLoad[] =>
  tx
    .select()
    .from(targetLoad)
    .orderBy(targetLoad.target, targetLoad.account)
    .all()
    .map((row) => ({ ...row, findings: parseFindings(row.findings) }));

const deleteExcept = query<never, { names: string }>(
  'delete from target_load where target not in (select value from json_each(:names))',
).run;

/** Forgets the targets that are not in the config any more. Returns the number of rows. */
export const deleteTargetLoadsExcept = (tx: Tx, names: readonly string[]): number =>
  deleteExcept(tx, { names: JSON.stringify(names) });

const parseFindings = (text: string) => JSON.parse(text) as KeptFinding[];

/** The findings of the report, and the earlier ones that it does not settle. One that is found again keeps its time. */
function mergeFindings(earlier: readonly KeptFinding[], report: LoadReport, at: string): KeptFinding[] {
  const found = report.findings.map((finding) => {
    const before = earlier.find(({ kind }) => kind === finding.kind);
    return { kind: finding.kind, message: finding.message, since: before?.since ?? at };
  });
  const kinds = new Set(found.map(({ kind }) => kind));
  return [...earlier.filter((finding) => !kinds.has(finding.kind) && isKept(finding, report, at)), ...found];
}

/** Is a finding that the report does not name true still? A load without news looks at little, and a failed one at nothing. */
function isKept({ kind, since }: KeptFinding, report: LoadReport, at: string): boolean {
  if (kind === 'history_set_aside') return fromTimestamp(at) - fromTimestamp(since) < SET_ASIDE_TOLD_MS;
  if (!isLoadDone(report)) return true;
  if (kind === 'booked_differs' || kind === 'differs') return report.verified !== true;
  if (kind === 'columns_missing' || kind === 'left_behind') return false;
  return report.outcome === 'unchanged';
}

/** What each target of publish.targets has of each account. */
import type { Config, TargetConfig } from '../config/config.ts';
import { RUNS, type KeptFinding } from '../lib/load-report.ts';
import { redact } from '../lib/redact.ts';
import type { TargetLoadRow } from '../queries/named/targets.ts';
import type { StatusQueries } from '../queries/status-queries.ts';

/** One account in one target; of one that was never loaded, totals are 0 and everything else is null. */
export interface TargetAccount
  extends
    Pick<TargetLoadRow, 'account' | Total>,
    Nullable<Omit<TargetLoadRow, 'target' | 'account' | 'verified' | 'findings' | Total>> {
  /** Null: counts and sums of both sides were never compared. */
  verified: boolean | null;
  /**
   * Changes of the warehouse since the last one that the target has, also those of other accounts in between; 0 where the
   * target has every change of the account.
   */
  behind_changes: number;
  findings: KeptFinding[];
}

export interface TargetReport {
  target: string;
  kind: TargetConfig['kind'];
  /** Least time between two loads, in milliseconds. */
  everyMs: number;
  /** The accounts of the config, in its order: one that left may be that of another worker now. */
  accounts: TargetAccount[];
  /** The same for the runs and walks, which belong to no account; null before their first load. */
  runs: TargetAccount | null;
}

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

type Total = 'loads' | 'failures' | 'rows' | 'duration_ms';

const NEVER_LOADED = {
  outcome: null,
  change_seq: null,
  attempted_at: null,
  loaded_at: null,
  failing_since: null,
  error: null,
  hint: null,
  code: null,
  held_by: null,
  held_until: null,
  loads: 0,
  failures: 0,
  rows: 0,
  duration_ms: 0,
  verified_at: null,
  verified: null,
};

export interface TargetParts {
  config: Pick<Config, 'accounts' | 'publish' | 'secrets'>;
  statusQueries: Pick<StatusQueries, 'targetLoads' | 'lastChanges'>;
}

/** Reads the targets of the config, in its order. */
export function readTargets({ config, statusQueries }: TargetParts): TargetReport[] {
  const targets = config.publish?.targets ?? [];
  if (targets.length === 0) return [];
  const loads = statusQueries.targetLoads();
  const rows = groupByTarget(loads);
  const lastChanges = new Map(statusQueries.lastChanges().map((row) => [row.account, row.change_seq]));
  const hide = createRedact(loads, config.secrets);
  return targets.map(({ name: target, kind, everyMs }) => {
    const byAccount = rows.get(target) ?? new Map<string, TargetLoadRow>();
    const describe = (account: string) =>
      describeAccount(account, byAccount.get(account), lastChanges.get(account) ?? 0, hide);
    const runs = byAccount.has(RUNS) ? describe(RUNS) : null;
    return { target, kind, everyMs, accounts: config.accounts.map(({ name }) => describe(name)), runs };
  });
}

/** The rows by target, then by account. */
function groupByTarget(rows: readonly TargetLoadRow[]): Map<string, Map<string, TargetLoadRow>> {
  const groups = new Map<string, Map<string, TargetLoadRow>>();
  for (const row of rows) {
    const group = groups.get(row.target) ?? new Map<string, TargetLoadRow>();
    groups.set(row.target, group.set(row.account, row));
  }
  return groups;
}

/** Redacts all texts at once, which is much faster than each: every account has a secret, and may have an error. */
function createRedact(rows: readonly TargetLoadRow[], secrets: readonly string[]): (text: string) => string {
  const texts = rows.flatMap(({ error, hint, findings }) => [error ?? '', hint ?? '', findings]);
  const unique = [...new Set(texts)];
  const clean = redact(unique.map((text) => text.replaceAll('\0', '\ufffd')).join('\0'), secrets).split('\0');
  const known = new Map(unique.map((text, index) => [text, clean[index] ?? '']));
  return (text) => known.get(text) ?? redact(text, secrets);
}

function describeAccount(
  account: string,
  row: TargetLoadRow | undefined,
  lastChange: number,
  hide: (text: string) => string,
): TargetAccount {
  if (!row) return { account, ...NEVER_LOADED, behind_changes: lastChange, findings: [] };
  const { outcome, change_seq, attempted_at, loaded_at, failing_since, code, held_by, held_until } = row;
  const { loads, failures, rows, duration_ms, verified_at } = row;
  return {
    ...{ account, outcome, change_seq, attempted_at, loaded_at, failing_since, code, held_by, held_until },
    ...{ loads, failures, rows, duration_ms, verified_at },
    error: row.error && hide(row.error),
    hint: row.hint && hide(row.hint),
    verified: row.verified === null ? null : row.verified === 1,
    behind_changes: Math.max(0, lastChange - (row.change_seq ?? 0)),
    findings: JSON.parse(hide(row.findings)) as KeptFinding[],
  };
}

/** The last load of the account succeeded, and the target has every change of its videos. */
export const isUpToDate = ({ outcome, behind_changes: behind }: TargetAccount): boolean =>
  (outcome === 'loaded' || outcome === 'unchanged') && behind === 0;

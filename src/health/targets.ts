/** What each target of publish.targets has of each account. */
import type { Config, TargetConfig } from '../config/config.ts';
import { RUNS } from '../lib/load-report.ts';
import { redact } from '../lib/redact.ts';
import type { TargetLoadRow } from '../queries/named/targets.ts';
import type { StatusQueries } from '../queries/status-queries.ts';

type Texts = 'differences' | 'notes';
type Total = 'loads' | 'failures' | 'rows' | 'duration_ms';
type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

/** One account in one target; of one that was never loaded, totals are 0 and everything else is null. */
export interface TargetAccount
  extends Pick<TargetLoadRow, 'account' | Total>, Nullable<Omit<TargetLoadRow, 'account' | Total | Texts>> {
  /** Changes of videos of the account that the target lacks; the changes of other accounts in between count too. */
  behind_changes: number;
  /** Values that differed when they were last compared, a sentence each; null: never compared. */
  differences: string[] | null;
  notes: string[];
}

export interface TargetReport {
  target: string;
  kind: TargetConfig['kind'];
  /** Least time between two loads, in milliseconds. */
  everyMs: number;
  /** The accounts of the config, in its order. */
  accounts: TargetAccount[];
  /** The same for the tables that belong to no account; null before their first load. */
  runs: TargetAccount | null;
}

const NEVER_LOADED = {
  target: null,
  ...{ outcome: null, change_seq: null, attempted_at: null, loaded_at: null, failing_since: null },
  ...{ error: null, hint: null, code: null, verified_at: null, differences: null, notes: [] },
  ...{ loads: 0, failures: 0, rows: 0, duration_ms: 0 },
};

export interface TargetParts {
  config: Pick<Config, 'accounts' | 'publish' | 'secrets'>;
  statusQueries: Pick<StatusQueries, 'targetLoads' | 'lastChanges'>;
}

/** Reads the targets of the config, in its order. */
export function readTargets({ config, statusQueries }: TargetParts): TargetReport[] {
  const targets = config.publish?.targets ?? [];
  if (targets.length === 0) return [];
  const rows = new Map(
    statusQueries.targetLoads().map((row) => [`${row.target}\0${row.account}`, row] as const),
  );
  const lastChanges = new Map(statusQueries.lastChanges().map((row) => [row.account, row.change_seq]));
  const hide = createRedact([...rows.values()], config.secrets);
  return targets.map(({ name: target, kind, everyMs }) => {
    const describe = (account: string) =>
      describeAccount(account, rows.get(`${target}\0${account}`), lastChanges.get(account) ?? 0, hide);
    const runs = rows.has(`${target}\0${RUNS}`) ? describe(RUNS) : null;
    return { target, kind, everyMs, accounts: config.accounts.map(({ name }) => describe(name)), runs };
  });
}

/** Each text once: accounts that fail for the same reason have the same error, and every account has a secret. */
function createRedact(rows: readonly TargetLoadRow[], secrets: readonly string[]): (text: string) => string {
  const known = new Map<string, string>();
  for (const { error, hint, differences, notes } of rows)
    for (const text of [error, hint, differences, notes])
      if (text !== null && !known.has(text)) known.set(text, redact(text, secrets));
  return (text) => known.get(text) ?? text;
}

function describeAccount(
  account: string,
  row: TargetLoadRow | undefined,
  lastChange: number,
  hide: (text: string) => string,
): TargetAccount {
  if (!row) return { account, ...NEVER_LOADED, behind_changes: lastChange };
  const { error, hint, differences, notes } = row;
  return {
    ...row,
    error: error && hide(error),
    hint: hint && hide(hint),
    differences: differences === null ? null : (JSON.parse(hide(differences)) as string[]),
    notes: JSON.parse(hide(notes)) as string[],
    behind_changes: Math.max(0, lastChange - (row.change_seq ?? 0)),
  };
}

/** The last load of the account succeeded, and the target has every change of its videos. */
export const isUpToDate = ({ outcome, behind_changes: behind }: TargetAccount): boolean =>
  (outcome === 'loaded' || outcome === 'unchanged') && behind === 0;

/** The targets of publish.targets: what each one has of each account, in short, and what is wrong with it. */
import type { Config, TargetConfig } from '../config/config.ts';
import type { Db } from '../database/connection.ts';
import { fromTimestamp } from '../lib/clock.ts';
import { formatAgo, formatCount, formatDuration, pluralize } from '../lib/format.ts';
import { isLoadDone, RUNS, RUNS_TEXT, type LoadOutcome } from '../publishing/targets/load-report.ts';
import { redact } from '../lib/redact.ts';
import { LAST_CHANGES, TARGET_LOADS, type TargetLoadRow } from '../queries/named/targets.ts';
import { findOldest, nameAccounts } from './text.ts';

/** One account in one target; of one that was never loaded, totals are 0 and everything else is null. */
export interface TargetAccount extends Omit<TargetLoadRow, 'outcome' | 'attempted_at' | 'differences'> {
  outcome: LoadOutcome | null;
  attempted_at: string | null;
  /** Changes of videos that the target lacks; those of other accounts in between count too. */
  behind_changes: number;
  /** Values that differed when they were last compared, a sentence each; null: never compared. */
  differences: string[] | null;
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
  outcome: null,
  change_seq: null,
  attempted_at: null,
  loaded_at: null,
  failing_since: null,
  error: null,
  hint: null,
  code: null,
  verified_at: null,
  differences: null,
  loads: 0,
  failures: 0,
  rows: 0,
  duration_ms: 0,
};

interface TargetParts {
  config: Pick<Config, 'accounts' | 'publish' | 'secrets'>;
  db: Db;
}

/** Reads the targets of the config, in its order. */
export function readTargets({ config, db }: TargetParts): TargetReport[] {
  const targets = config.publish?.targets ?? [];
  if (targets.length === 0) return [];
  const all = TARGET_LOADS.all(db);
  const rows = new Map(all.map((row) => [`${row.target} ${row.account}`, row]));
  const lastChanges = new Map(LAST_CHANGES.all(db).map((row) => [row.account, row.change_seq]));
  // each text is redacted once, because many accounts fail with the same error, and each has a secret
  const texts = new Set(all.flatMap(({ error, hint }) => [error, hint]));
  const clean = new Map([...texts].map((text) => [text, text && redact(text, config.secrets)]));
  return targets.map(({ name: target, kind, everyMs }) => {
    const describe = (account: string): TargetAccount => {
      const row = rows.get(`${target} ${account}`);
      const last = lastChanges.get(account) ?? 0;
      if (!row) return { target, account, ...NEVER_LOADED, behind_changes: last };
      return {
        ...row,
        error: clean.get(row.error) ?? null,
        hint: clean.get(row.hint) ?? null,
        differences: JSON.parse(row.differences ?? 'null') as string[] | null,
        behind_changes: Math.max(0, last - (row.change_seq ?? 0)),
      };
    };
    const runs = rows.has(`${target} ${RUNS}`) ? describe(RUNS) : null;
    return { target, kind, everyMs, accounts: config.accounts.map(({ name }) => describe(name)), runs };
  });
}

/** Whether the last load of the account succeeded, and the target has every change of its videos. */
export const isUpToDate = (row: TargetAccount): boolean => isLoadDone(row) && row.behind_changes === 0;

/** Sums up the state of a target. */
export function summarizeTarget({ accounts }: TargetReport) {
  const loaded = accounts.filter(({ loaded_at: at }) => at !== null);
  return {
    upToDate: accounts.filter(isUpToDate).length,
    /** The newest load that succeeded (`YYYY-MM-DD HH:MM:SS` UTC); null: none did. */
    loadedAt:
      loaded
        .map((row) => row.loaded_at)
        .sort()
        .at(-1) ?? null,
    /** Every loaded account was compared since then; null where some never were. */
    verifiedAt: findOldest(loaded.map((row) => row.verified_at)),
    /** Accounts that differed when they were last compared. */
    differing: loaded.filter(({ differences }) => (differences ?? []).length > 0).length,
  };
}

/** `12 accounts, 11 up to date, loaded 2 min ago (every 24h at most), 1 with differences`. */
export function targetText(report: TargetReport, now: number): string {
  const { upToDate, loadedAt, verifiedAt, differing } = summarizeTarget(report);
  const since = (at: string) => formatAgo(now - fromTimestamp(at));
  const accounts = pluralize(report.accounts.length, 'account');
  if (loadedAt === null) return `${accounts}, not loaded yet`;
  const every = report.everyMs === 0 ? '' : ` (every ${formatDuration(report.everyMs)} at most)`;
  const verified = verifiedAt === null ? '' : `, verified ${since(verifiedAt)}`;
  const different = differing === 0 ? '' : `, ${formatCount(differing)} with differences`;
  return `${accounts}, ${formatCount(upToDate)} up to date, loaded ${since(loadedAt)}${every}${verified}${different}`;
}

/** `account main`, `3 accounts (main, second, third)`, `runs and calendar`. */
export function namesOf(rows: readonly TargetAccount[]): string {
  const names = rows.map(({ account }) => account).filter((name) => name !== RUNS);
  return names.length === 0 ? RUNS_TEXT : nameAccounts(names);
}

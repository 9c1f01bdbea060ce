/** Where published tables are shipped to, besides the published file: one interface, implemented by each kind of target. */
import { emptyReport, type Finding, type LoadReport } from '../../lib/load-report.ts';

export type { Finding, LoadReport } from '../../lib/load-report.ts';

/** One live file that ships an account: a name to show, and an id that another copy of the file does not have. */
export interface Holder {
  /** `worker` of the config: shown to whoever is refused. */
  worker: string;
  /** The same for each process of this worker on this live file; another one for a copy of the file elsewhere. */
  instance: string;
}

/**
 * The answer to a claim of an account. `held`: the lease of another worker has not expired. `refused`: the account in the
 * target belongs to another warehouse, and only a person may decide.
 */
export type Claim =
  | { result: 'claimed'; account: string; epoch: number; leaseUntil: string }
  | { result: 'held'; account: string; worker: string; until: string }
  | { result: 'refused'; account: string; reason: string };

/** The same of many accounts at once: of one that failed nothing is known. */
export type AccountClaim = Claim | { result: 'failed'; account: string; reason: string };

/** The claim of an account that this worker did not get. */
export type Refusal = Exclude<Claim, { result: 'claimed' }>;

/** Why an account was not claimed, in one sentence. */
export const describeRefusal = (claim: Refusal): string =>
  claim.result === 'refused'
    ? claim.reason
    : `account ${claim.account} is held by ${claim.worker} until ${claim.until.slice(11, 16)} UTC`;

/** The report about an account that was not claimed. */
export const reportRefusal = (claim: Refusal): LoadReport => ({
  ...emptyReport(claim.account, claim.result),
  error: describeRefusal(claim),
  ...(claim.result === 'held' && { heldBy: claim.worker, heldUntil: claim.until }),
});

/** What one load of one account did. */
export interface Loaded {
  /** `nothing`: the target had everything. */
  kind: 'first' | 'changes' | 'reload' | 'nothing';
  /** Rows written, in all tables. */
  rows: number;
  findings: Finding[];
}

/** What an error means, and when to try again. `hourly`: a person must do something first. */
export interface TargetFailure {
  message: string;
  hint: string | null;
  code: string | null;
  retry: 'at_once' | 'backoff' | 'hourly';
}

/** A place that gets the tables of the published file. Every function throws what its connection throws. */
export interface Target {
  /** Claims an account for this worker, or renews its lease; `force`: takes it from another worker or warehouse. */
  claim: (account: string, force: boolean) => Promise<Claim>;
  /**
   * The same for an account that left the config: a claim of before stays as it is, so that its lease ends. Null if another
   * worker has it.
   */
  claimLeft: (account: string) => Promise<Claim | null>;
  /** Brings one account up to the published file, in one transaction. `epoch` is that of the claim. */
  load: (account: string, epoch: number, isRebuild: boolean) => Promise<Loaded>;
  /** Brings up the tables that belong to no account; `isRebuild`: sends everything again. */
  loadWarehouse: (isRebuild: boolean) => Promise<Loaded>;
  /** Deletes an account that this warehouse loaded and no longer has. Null if it did not load it. */
  remove: (account: string) => Promise<Loaded | null>;
  /**
   * Compares counts and sums of an account: the differences, or null where the target has another state than the file. An
   * account that differs is loaded completely by its next load.
   */
  verify: (account: string) => Promise<string[] | null>;
  /** The same for the tables that belong to no account. */
  verifyWarehouse: () => Promise<string[] | null>;
  /** What concerns the whole target; `accounts` are those of the published file. */
  listFindings: (accounts: readonly string[]) => Promise<Finding[]>;
  /** What an error of any of these means. */
  describe: (error: unknown) => TargetFailure;
}

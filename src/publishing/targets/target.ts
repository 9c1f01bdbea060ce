/** Where published tables are shipped to, besides the published file: one interface, implemented by each kind of target. */
export type { Finding, FindingKind, LoadOutcome, LoadReport } from '../../lib/load-report.ts';

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

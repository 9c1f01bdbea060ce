/** The request budget of an account, as the client uses it: `admit` is called before every attempt. */
import type { ParkedError } from '../lib/errors.ts';
import { ACCOUNT_STREAMS } from '../sync/streams.ts';

export const PURPOSES = [...ACCOUNT_STREAMS, 'probe', 'page', 'boundary', 'quick', 'check'] as const;
/** What a request is for. */
export type Purpose = (typeof PURPOSES)[number];

/** The ledger entry, written before a request is sent. It never has the key. */
export interface RequestEntry {
  purpose: Purpose;
  packageId: number | null;
  page: number | null;
  runId: number | null;
  /** How long the attempt may take, in milliseconds. Until then it may still reach the service. */
  deadlineMs: number;
}

/** The result of an attempt. */
export interface RequestResult {
  /** HTTP status; null without a response. */
  status: number | null;
  /** Size of the content, decompressed; null if none was read. */
  bytes: number | null;
  /** False if it is certain that nothing reached the service: no connection was made. */
  sent: boolean;
}

/** A sign that the service restricts the account. */
export interface Restriction {
  /** Milliseconds that it asks to wait; null if it names no time, or one that is over. */
  waitMs: number | null;
  /** What the service answered, without the key. */
  reason: string;
  /** The service answered the request, and only asks to wait with the next one. */
  served: boolean;
}

/** A request that may be sent now. */
export interface Admission {
  /**
   * Records the result; to be called once. `restriction`: a sign of restriction in the answer, null or left
   * out for none. No process gets another admission before its pause is over.
   */
  answered(result: RequestResult, restriction?: Restriction | null): void;
}

export interface Budget {
  /**
   * Resolves once the request is in the ledger and may be sent; callers are served in their order. Rejects
   * with ParkedError if the wait would be longer than allowed (not counting the wait for responses), and with
   * the signal's reason when it aborts.
   */
  admit(entry: RequestEntry, signal?: AbortSignal): Promise<Admission>;
}

/** The budget of an account outside of a request, too. */
export interface AccountBudget extends Budget {
  /** Why a request would be parked now; null if it would not. */
  whyParked(): ParkedError | null;
}

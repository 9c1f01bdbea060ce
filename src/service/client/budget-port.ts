/** The port of the request budget: the client calls it before every attempt and knows nothing of windows. */

/** What a request is for: `purpose` in the ledger. */
export type Purpose = 'storage' | 'probe' | 'page' | 'boundary' | 'quick' | 'check';

/** What the ledger records before a request is sent. Never the key. */
export interface RequestEntry {
  purpose: Purpose;
  packageId: number | null;
  page: number | null;
  runId: number | null;
  /** How long the attempt may take, in milliseconds. */
  deadlineMs: number;
}

/** The outcome of an attempt. */
export interface RequestResult {
  /** HTTP status; null without an answer. */
  status: number | null;
  /** Size of the content, decompressed; null where none was read. */
  bytes: number | null;
  /** False where no connection was made, so nothing reached the service. */
  sent: boolean;
}

/** A sign that the service restricts the account. */
export interface Restriction {
  /** Milliseconds to wait, as the service asks; null where it names no time, or a past one. */
  waitMs: number | null;
  /** The service's message, without the key. */
  reason: string;
}

/** One request that may be sent now. */
export interface Admission {
  /** Records the outcome. Called once. */
  answered(result: RequestResult): void;
  /** Pauses the account: `admit` waits until the pause is over. */
  restricted(restriction: Restriction): void;
}

export interface Budget {
  /**
   * Resolves once one attempt may be sent. Rejects with ParkedError where the wait would be too long, and with the
   * signal's reason when it aborts.
   */
  admit(entry: RequestEntry, signal?: AbortSignal): Promise<Admission>;
}

/** The port of the request budget: the client asks it before every attempt, and knows nothing of windows. */

/** What a request is for: a word of the ledger's. */
export type Purpose = 'storage' | 'probe' | 'page' | 'boundary' | 'quick' | 'check';

/** What is written to the ledger before a request is sent. Never the key. */
export interface RequestNote {
  purpose: Purpose;
  packageId: number | null;
  page: number | null;
  runId: number | null;
  /** How long the attempt may take, in milliseconds. */
  deadlineMs: number;
}

/** What came of an attempt. */
export interface RequestResult {
  /** HTTP status; null where no answer came. */
  status: number | null;
  /** Size of the content, decompressed; null where none was read. */
  bytes: number | null;
  /** False where it is certain that nothing reached the service: no connection was made. */
  sent: boolean;
}

/** A sign that the service restricts the account. */
export interface Restriction {
  /** Milliseconds that it asks to wait; null where it names no time, or one that is over. */
  waitMs: number | null;
  /** What it said, without the key. */
  reason: string;
}

/** A request that may be sent now. */
export interface Admission {
  /** What came of it. Called once. */
  answered(result: RequestResult): void;
  /** The answer was a sign of restriction: the account has a pause, and `admit` keeps it. */
  restricted(restriction: Restriction): void;
}

export interface Budget {
  /**
   * Resolves once one attempt may be sent, and only then. Rejects with ParkedError where the wait would be too
   * long, and with the signal's reason when it aborts.
   */
  admit(note: RequestNote, signal?: AbortSignal): Promise<Admission>;
}

/** A failure of a target: what is said about it, and when it is tried again. */
import type { PostgresTargetConfig } from '../../../config/config.ts';

/**
 * When to try again: `at_once`, a few times with a short wait; `backoff`, after longer and longer waits; `hourly`, because
 * a person must do something first.
 */
export type RetryWhen = 'at_once' | 'backoff' | 'hourly';

export interface TargetFailure {
  /** One line, without the password. */
  message: string;
  /** What to type or do next; null if there is nothing to do. */
  hint: string | null;
  /** SQLSTATE, or code of the connection, such as `42501` or `ECONNREFUSED`; null if there is none. */
  code: string | null;
  retry: RetryWhen;
}

/** What the sentences of a failure are made of. */
export interface FailureFacts {
  /** Host and port, or the socket. */
  place: string;
  user: string;
  database: string;
  schema: string;
  ssl: PostgresTargetConfig['ssl'];
  isSocket: boolean;
  timeoutMs: number;
}

/** What is known about one failure; what is left out is that of the error itself, and `backoff`. */
export interface Known {
  message?: string;
  hint?: string | null;
  code?: string | null;
  retry?: RetryWhen;
}

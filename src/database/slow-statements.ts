/** Times statements and transactions while somebody listens: SQLite blocks the process meanwhile. */
import { channel, subscribe } from 'node:diagnostics_channel';

/** From this on a statement is slow, in milliseconds. */
const SLOW_MS = 100;

export interface SlowStatement {
  /** Its SQL on one line; `transaction` for a whole transaction. */
  sql: string;
  durationMs: number;
}

const NAME = 'vodhouse:slow-statement';
const statements = channel(NAME);

/** Calls `listener` for each slow statement of this process from now on. */
export function watchSlowStatements(listener: (statement: SlowStatement) => void): void {
  subscribe(NAME, (message) => listener(message as SlowStatement));
}

/** Runs `work`; reports it if it is slow and somebody listens. */
export function timed<Result>(sql: string, work: () => Result): Result {
  if (!statements.hasSubscribers) return work();
  const startedAt = performance.now();
  try {
    return work();
  } finally {
    const durationMs = Math.round(performance.now() - startedAt);
    if (durationMs >= SLOW_MS) statements.publish({ sql: sql.replaceAll(/\s+/g, ' '), durationMs });
  }
}

import { toTimestamp, type Clock } from '../../lib/clock.ts';
import { ParkedError } from '../../lib/errors.ts';

/** A service that asks an account to wait is asked nothing else meanwhile. */
export interface Quiet {
  /** Waits the pause out. Throws ParkedError where that is longer than a run may wait. */
  keep(signal: AbortSignal | undefined): Promise<void>;
  /** True while nothing may be asked. */
  isKept(): boolean;
  /** Nothing is asked for so many milliseconds from now. */
  begin(ms: number): void;
}

export function createQuiet(account: { name: string; maxWaitMs: number }, clock: Clock): Quiet {
  let until = 0;
  return {
    keep: async (signal) => {
      for (let wait; (wait = until - clock.now()) > 0;) {
        if (wait > account.maxWaitMs) throw parked(account.name, until);
        await clock.sleep(wait, signal);
      }
    },
    isKept: () => until > clock.now(),
    begin: (ms) => {
      until = Math.max(until, clock.now() + ms);
    },
  };
}

function parked(account: string, until: number): ParkedError {
  return new ParkedError(
    `the service asked account ${account} to wait until ${toTimestamp(until)} UTC`,
    until,
  );
}

/** Pauses that a service asked an account for: how long they are, and how the rate comes back after them. */
import { fromTimestamp, toTimestamp } from '../lib/clock.ts';
import type { Db } from '../database/connection.ts';
import { upsertPause, prepareFindPause, type PauseRow } from './statements/pause.ts';
import { transact } from '../database/transaction.ts';

/** A sign that the service restricts the account. */
export interface Restriction {
  /** Milliseconds that the service asks to wait; null where it names no time, or one that is over. */
  waitMs: number | null;
  /** What the service said, without the key. */
  reason: string;
}

/** A pause as the budget sees it; moments in milliseconds since 1970. */
export interface Pause {
  untilMs: number;
  fullRateAtMs: number;
  reason: string;
}

/** The first pause where the service names no time; each one in a row is twice as long. */
const FIRST_MS = 30_000;
const LONGEST_GROWN_MS = 3_600_000;
/** A time that is named is believed up to here. */
const LONGEST_NAMED_MS = 31 * 86_400_000;
/** Restrictions count as in a row while the last one's full rate has not been back for so long. */
export const PAUSE_MEMORY_MS = 3_600_000;
/** The rate comes back over as long as the pause took, but over no less and no more than this. */
const RETURN_MS = { least: 60_000, most: 600_000 };

/**
 * How long a pause is, in milliseconds. A named time is kept to; where the service restricts again right after it, and
 * where it names none, the pause grows with the restrictions in a row.
 */
export function pauseLength(namedMs: number | null, strikes: number): number {
  const grown = Math.min(LONGEST_GROWN_MS, FIRST_MS * 2 ** Math.min(strikes - 1, 20));
  const named = Math.min(namedMs ?? 0, LONGEST_NAMED_MS);
  return named > 0 && strikes === 1 ? named : Math.max(named, grown);
}

/** The share of the full rate that may be asked, 0 to 1, when a pause is over. */
export function rampShare({ untilMs, fullRateAtMs }: Pause, now: number): number {
  return Math.min(1, Math.max(0, now - untilMs) / Math.max(1, fullRateAtMs - untilMs));
}

/** The pauses of one account, kept in its warehouse for every process. */
export function createPauses(db: Db, account: string) {
  const find = prepareFindPause(db);

  /** Inside a transaction. The pause in force or the one that is being returned from; null where there is none. */
  function current(now: number): Pause | null {
    const row = find(account);
    if (!row) return null;
    const pause = toPause(untilNow(row, now));
    return pause.fullRateAtMs > now ? pause : null;
  }

  /** A pause that begins in the future was stored by a clock that was ahead: it lasts as long, from now on. */
  function untilNow(row: PauseRow, now: number): PauseRow {
    const ahead = fromTimestamp(row.since) - now;
    if (ahead <= 0) return row;
    const moved = (moment: string) => upToSecond(fromTimestamp(moment) - ahead);
    const shifted = {
      ...row,
      since: toTimestamp(now),
      until: moved(row.until),
      full_rate_at: moved(row.full_rate_at),
    };
    upsertPause(db, shifted);
    return shifted;
  }

  return {
    current,
    /**
     * Notes a restriction told in answer to a request admitted at `admittedAt`. What was admitted before the pause began
     * and is told the same is no second restriction. Gives the end of the pause.
     */
    note(restriction: Restriction, admittedAt: number, now: number): Pause {
      return transact(db, () => {
        const known = find(account);
        const row = nextPause(account, known && untilNow(known, now), restriction, admittedAt, now);
        upsertPause(db, row);
        return toPause(row);
      });
    },
  };
}

function nextPause(
  account: string,
  known: PauseRow | undefined,
  { waitMs, reason }: Restriction,
  admittedAt: number,
  now: number,
): PauseRow {
  const untilMs = known ? fromTimestamp(known.until) : 0;
  const isSame = known !== undefined && admittedAt < untilMs;
  const isRemembered = known !== undefined && fromTimestamp(known.full_rate_at) + PAUSE_MEMORY_MS > now;
  const strikes = isSame
    ? known.consecutive_restrictions
    : (isRemembered ? known.consecutive_restrictions : 0) + 1;
  const isInForce = isSame && now < untilMs;
  const length = isInForce ? Math.min(waitMs ?? 0, LONGEST_NAMED_MS) : pauseLength(waitMs, strikes);
  if (isInForce && now + length <= untilMs) return known;
  const until = now + length;
  const back = until + Math.min(RETURN_MS.most, Math.max(RETURN_MS.least, length));
  const since = isSame ? known.since : toTimestamp(now);
  return {
    account,
    reason,
    since,
    until: upToSecond(until),
    full_rate_at: upToSecond(back),
    consecutive_restrictions: strikes,
  };
}

function toPause({ until, full_rate_at: back, reason }: PauseRow): Pause {
  return { untilMs: fromTimestamp(until), fullRateAtMs: fromTimestamp(back), reason };
}

/** The warehouse writes whole seconds: a pause is never shorter for that. */
function upToSecond(ms: number): string {
  return toTimestamp(Math.ceil(ms / 1000) * 1000);
}

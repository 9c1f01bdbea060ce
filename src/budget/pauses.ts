/** Pauses after restrictions of an account: how long they are, and how the rate returns after them. */
import { DAY_MS, fromTimestamp, HOUR_MS, MINUTE_MS, SECOND_MS, toTimestamp } from '../lib/clock.ts';
import type { Restriction } from './request-budget.ts';
import type { Tx } from '../database/connection.ts';
import { findPause, upsertPause, type PauseRow } from './statements/pause.ts';

/** A pause; times in milliseconds since 1970. */
export interface Pause {
  untilMs: number;
  fullRateAtMs: number;
  reason: string;
}

/** The first pause if the service names no time; each one in a row is twice as long. */
const FIRST_MS = 30_000;
const LONGEST_GROWN_MS = HOUR_MS;
/** The longest pause that the service may name; a longer one is cut to this. */
const LONGEST_NAMED_MS = DAY_MS;
/** Restrictions are in a row if the full rate was not back for this long between them. */
export const PAUSE_MEMORY_MS = HOUR_MS;
/** The rate returns over as long as the pause took, within these bounds. */
const RETURN_MS = { least: MINUTE_MS, most: 10 * MINUTE_MS };

/**
 * The length of a pause in milliseconds. A named time is kept; the pause grows with the restrictions in a row
 * if the service names none, or restricts again right after it.
 */
export function pauseLength(namedMs: number | null, inARow: number): number {
  const grown = Math.min(LONGEST_GROWN_MS, FIRST_MS * 2 ** (inARow - 1));
  const named = Math.min(namedMs ?? 0, LONGEST_NAMED_MS);
  return named > 0 && inARow === 1 ? named : Math.max(named, grown);
}

/** The share of the full rate that is allowed after a pause, 0 to 1. */
export function rampShare({ untilMs, fullRateAtMs }: Pause, now: number): number {
  return Math.min(1, Math.max(0, now - untilMs) / Math.max(1, fullRateAtMs - untilMs));
}

/**
 * Inside a transaction: the pause in force, or the one after which the full rate is not back; null without
 * one.
 */
export function currentPause(tx: Tx, account: string, now: number): Pause | null {
  const row = findKnown(tx, account, now);
  const pause = row && toPause(row);
  return pause && pause.fullRateAtMs > now ? pause : null;
}

/** Inside a transaction: records a restriction in answer to a request admitted at `admittedAt`. */
export function recordRestriction(
  tx: Tx,
  account: string,
  restriction: Restriction,
  admittedAt: number,
  now: number,
): void {
  const known = findKnown(tx, account, now);
  upsertPause(tx, nextPause(account, known, restriction, admittedAt, now));
}

/** A pause that begins in the future was stored by a clock that was ahead: it does not count. */
function findKnown(tx: Tx, account: string, now: number): PauseRow | undefined {
  const row = findPause(tx, { account });
  return row && fromTimestamp(row.since) <= now ? row : undefined;
}

/**
 * The pause after a restriction, by the pause that is known of the account:
 *
 * | the known pause                                      | in a row | since  | length                     |
 * | ---------------------------------------------------- | -------- | ------ | -------------------------- |
 * | in force                                             | the same | kept   | as named; never shortened  |
 * | over, but the request was admitted before its end    | the same | kept   | `pauseLength`              |
 * | the full rate is back for less than PAUSE_MEMORY_MS  | + 1      | now    | `pauseLength`              |
 * | none, or older                                       | 1        | now    | `pauseLength`              |
 *
 * An answer that was served is no refusal: it adds none in a row, its length is as named, and the rate
 * returns at once.
 */
function nextPause(
  account: string,
  known: PauseRow | undefined,
  { waitMs, reason, served }: Restriction,
  admittedAt: number,
  now: number,
): PauseRow {
  const previous = known && toPause(known);
  const isSame = previous !== undefined && admittedAt < previous.untilMs;
  const isInForce = isSame && now < previous.untilMs;
  const isRemembered = previous !== undefined && previous.fullRateAtMs + PAUSE_MEMORY_MS > now;
  const before = known && isRemembered ? known.consecutive_restrictions : 0;
  const inARow = known && isSame ? known.consecutive_restrictions : before + (served ? 0 : 1);
  const isAsNamed = isInForce || served;
  const length = isAsNamed ? Math.min(waitMs ?? 0, LONGEST_NAMED_MS) : pauseLength(waitMs, inARow);
  const until = now + length;
  if (known && previous && until <= previous.untilMs) return known;
  const fullRateAt = served
    ? Math.max(until, previous?.fullRateAtMs ?? 0)
    : until + Math.min(RETURN_MS.most, Math.max(RETURN_MS.least, length));
  return {
    account,
    reason,
    since: known && isSame ? known.since : toTimestamp(now),
    until: roundUp(until),
    full_rate_at: roundUp(fullRateAt),
    consecutive_restrictions: inARow,
  };
}

function toPause({ until, full_rate_at, reason }: PauseRow): Pause {
  return { untilMs: fromTimestamp(until), fullRateAtMs: fromTimestamp(full_rate_at), reason };
}

/** A time (ms) as the file stores it, in whole seconds, rounded up so that a pause gets no shorter. */
export function roundUp(ms: number): string {
  return toTimestamp(Math.ceil(ms / SECOND_MS) * SECOND_MS);
}

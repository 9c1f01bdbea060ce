/** The outages of a service: one every night, each at another time and in another way, by a seed. Pure. */
import { MINUTE_MS, HOUR_MS, DAY_MS } from '../../../src/lib/clock.ts';
/** They begin around midnight of the service's calendar, when the previous day is due for booking. */
const FIRST_BEGINS_MS = 22 * HOUR_MS;
const LATER_EACH_NIGHT_MS = 17 * MINUTE_MS;
const SPREAD_MS = 150 * MINUTE_MS;
const LENGTH_MS = HOUR_MS;

/** The `Retry-After` of a night of 429. */
const TOO_MANY_MS = 15 * MINUTE_MS;

/**
 * `unavailable`: 503 without a time. `drop`: the connection is closed without a response. `too many`: 429 with a time.
 * `announced`: 503 that names the end of the outage.
 */
const KINDS = ['unavailable', 'drop', 'too many', 'announced'] as const;

/** An outage, in milliseconds since 1970; `to` is the first moment after it. */
export interface Outage {
  kind: (typeof KINDS)[number];
  from: number;
  to: number;
  /** End of the last pause that the service may have demanded. */
  pausedUntil: number;
}

/** The response to a request during an outage. */
export type Fault = { status: 429 | 503; waitMs: number | null } | 'drop';

/** One outage a night (UTC), from the night of `start` on; `seed` shifts the order of their kinds and their times. */
export function outagesFrom(start: number, nights: number, seed: number): Outage[] {
  const midnight = Math.floor(start / DAY_MS) * DAY_MS;
  return Array.from({ length: nights }, (_, night) => {
    const kind = KINDS[(night + seed) % KINDS.length] ?? 'drop';
    const later = ((night + seed) * LATER_EACH_NIGHT_MS) % SPREAD_MS;
    const from = midnight + night * DAY_MS + FIRST_BEGINS_MS + later;
    const to = from + LENGTH_MS;
    return { kind, from, to, pausedUntil: kind === 'too many' ? to + TOO_MANY_MS : to };
  });
}

/** The fault of a request at `now`; null if there is none. */
export function faultAt(outages: readonly Outage[], now: number): Fault | null {
  const outage = outages.find(({ from, to }) => from <= now && now < to);
  switch (outage?.kind) {
    case undefined:
      return null;
    case 'unavailable':
      return { status: 503, waitMs: null };
    case 'drop':
      return 'drop';
    case 'too many':
      return { status: 429, waitMs: TOO_MANY_MS };
    case 'announced':
      return { status: 503, waitMs: outage.to - now };
  }
}

/** The outage that may explain something between the two moments; undefined if there is none. */
export function outageWithin(outages: readonly Outage[], from: number, to: number): Outage | undefined {
  return outages.find((outage) => outage.from <= to && from <= outage.pausedUntil);
}

/** Slows whoever tries out keys. */
import { type Clock, MINUTE_MS } from '../../lib/clock.ts';

export interface LoginThrottle {
  /** How long a caller, by its address, is not listened to, in milliseconds; 0: it is. */
  waitMs(address: string): number;
  /** Notes that the caller entered a wrong key. */
  wrong(address: string): void;
}

/** Wrong keys of one caller within one minute; those after are not looked at before it is over. */
const WRONG_KEYS = 10;
/** Callers that are remembered; of more, the first are forgotten. */
const CALLERS = 1_000;

/** Counts by caller: a stranger who guesses does not keep out who comes from another address. */
export function createLoginThrottle(clock: Pick<Clock, 'now'>): LoginThrottle {
  const minutes = new Map<string, { since: number; wrong: number }>();
  const minuteOf = (caller: string) => {
    const minute = minutes.get(caller);
    return minute && Math.abs(clock.now() - minute.since) < MINUTE_MS ? minute : undefined;
  };
  return {
    waitMs: (address) => {
      const minute = minuteOf(callerAt(address));
      return minute && minute.wrong >= WRONG_KEYS ? minute.since + MINUTE_MS - clock.now() : 0;
    },
    wrong: (address) => {
      const caller = callerAt(address);
      const { since, wrong } = minuteOf(caller) ?? { since: clock.now(), wrong: 0 };
      minutes.delete(caller); // to be the last
      minutes.set(caller, { since, wrong: wrong + 1 });
      const [first] = minutes.keys();
      if (minutes.size > CALLERS && first !== undefined) minutes.delete(first);
    },
  };
}

/** Who is one caller: an IPv4 address, or the 64 bits of an IPv6 network, all addresses of which one machine may take. */
function callerAt(address: string): string {
  const ipv4 = /^(?:::ffff:)?([\d.]+)$/i.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}

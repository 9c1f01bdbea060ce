/** Limits wrong keys per caller. */
import { createHash } from 'node:crypto';
import { MINUTE_MS, type Clock } from '../../lib/clock.ts';
import { BlockedError } from '../../service/server/api-keys.ts';

/** Different wrong keys of one caller, and repetitions of one wrong key. */
const MAX_FAILURES = 10;
/** Above this the caller whose last failure is oldest is forgotten. */
const MAX_CALLERS = 1_000;

export type KeyThrottle = ReturnType<typeof createKeyThrottle>;

interface Window {
  startMs: number;
  /** How often each wrong key was sent, by its hash. */
  failures: Map<string, number>;
}

/**
 * Ten different wrong keys of a caller within a minute of the first block that caller, and no other, until the minute is
 * over. One wrong key that is sent ten times only blocks itself: a client with an outdated key guesses nothing, and must
 * not lock out the others at its address.
 */
export function createKeyThrottle(clock: Pick<Clock, 'now'>) {
  const windows = new Map<string, Window>();
  const getWindow = (caller: string) => {
    const window = windows.get(caller);
    return window && Math.abs(clock.now() - window.startMs) < MINUTE_MS ? window : undefined;
  };
  return {
    /**
     * Throws BlockedError if the caller at this address is blocked, or for one of these keys; for a right key too:
     * otherwise the response would reveal it.
     */
    assertNotBlocked: (address: string, keys: readonly string[]): void => {
      const window = getWindow(toCaller(address));
      if (window && isBlocked(window, keys)) throw new BlockedError(window.startMs + MINUTE_MS - clock.now());
    },
    recordFailures: (address: string, keys: readonly string[]): void => {
      const caller = toCaller(address);
      const window = getWindow(caller) ?? { startMs: clock.now(), failures: new Map<string, number>() };
      for (const key of keys.map(hash)) window.failures.set(key, (window.failures.get(key) ?? 0) + 1);
      windows.delete(caller); // moves it to the end
      windows.set(caller, window);
      const [oldest] = windows.keys();
      if (windows.size > MAX_CALLERS && oldest !== undefined) windows.delete(oldest);
    },
  };
}

function isBlocked({ failures }: Window, keys: readonly string[]): boolean {
  if (failures.size >= MAX_FAILURES) return true;
  return keys.some((key) => (failures.get(hash(key)) ?? 0) >= MAX_FAILURES);
}

function hash(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

/**
 * An IPv4 address, or the /64 network of an IPv6 address: one machine may use all addresses of its network. Without the
 * port that some proxies add. A connection that has ended has no address.
 */
function toCaller(address: string | undefined = ''): string {
  const ipv4 = /^(?:::ffff:)?([\d.]+)(?::\d+)?$/i.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  const ipv6 = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address;
  const [head = [], tail = []] = ipv6.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}

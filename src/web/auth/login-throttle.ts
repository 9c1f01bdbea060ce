/** Limits wrong keys per caller. */
import { MINUTE_MS, type Clock } from '../../lib/clock.ts';

const MAX_FAILURES = 10;
/** Above this the caller whose last failure is oldest is forgotten. */
const MAX_CALLERS = 1_000;

/** Ten failures of a caller within a minute of the first block that caller, and no other, until the minute is over. */
export function createLoginThrottle(clock: Pick<Clock, 'now'>) {
  const windows = new Map<string, { startMs: number; failures: number }>();
  const getWindow = (caller: string) => {
    const window = windows.get(caller);
    return window && Math.abs(clock.now() - window.startMs) < MINUTE_MS ? window : undefined;
  };
  return {
    /** Milliseconds until the caller at this address may try again; 0: now. */
    getWaitMs: (address: string): number => {
      const window = getWindow(toCaller(address));
      return window && window.failures >= MAX_FAILURES ? window.startMs + MINUTE_MS - clock.now() : 0;
    },
    recordFailure: (address: string): void => {
      const caller = toCaller(address);
      const { startMs, failures } = getWindow(caller) ?? { startMs: clock.now(), failures: 0 };
      windows.delete(caller); // moves it to the end
      windows.set(caller, { startMs, failures: failures + 1 });
      const [oldest] = windows.keys();
      if (windows.size > MAX_CALLERS && oldest !== undefined) windows.delete(oldest);
    },
  };
}

/** An IPv4 address, or the /64 network of an IPv6 address: one machine may use all addresses of its network. */
function toCaller(address: string): string {
  const ipv4 = /^(?:::ffff:)?([\d.]+)$/i.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}

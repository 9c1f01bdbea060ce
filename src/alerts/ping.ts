/** Tells an address that a run went well; whoever hears nothing for too long knows that something is wrong. */
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { httpCall, hostOf } from './http-call.ts';

export interface PingParts {
  ping: string;
  clock: Clock;
  logger: Logger;
  deadlineMs: number;
  signal: AbortSignal;
}

/** Milliseconds before the second and the third try. */
const WAITS_MS = [1_000, 3_000];

/** Calls the address, up to three times; logs where none of them went well. Never throws. */
export async function ping({ ping: url, clock, logger, deadlineMs, signal }: PingParts): Promise<void> {
  let error = await httpCall({ url, body: null, deadlineMs, signal });
  for (const waitMs of WAITS_MS) {
    if (error === null || signal.aborted) break;
    await clock.sleep(waitMs, signal).catch(() => undefined); // broken off: the call says so
    error = await httpCall({ url, body: null, deadlineMs, signal });
  }
  if (error !== null) logger.warn(`the ping to ${hostOf(url)} failed: ${error}`);
}

/** The pings about runs over everything: that one began, succeeded or failed. Runs do not wait for them. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { InterruptedError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import type { RunSummary } from '../sync/run.ts';
import { createClosing } from './closing.ts';
import { hostOf, httpCall } from './http-call.ts';

/** How a run ended, as pings tell it; null: it was parked or interrupted and resumes, which neither is. */
export type PingedEnd = 'success' | 'failure' | null;

export const PINGED_ENDS: Record<RunSummary['status'], PingedEnd> = {
  succeeded: 'success',
  partial: 'failure',
  failed: 'failure',
  parked: null,
  interrupted: null,
};

export interface PingOptions {
  clock: Clock;
  logger: Logger;
  /** Milliseconds until a response must be there. */
  deadlineMs?: number | undefined;
}

const DEADLINE_MS = 10_000;
/** A ping about an end waits for the attempt under way to tell the start. */
const START_DEADLINE_MS = 4_000;
/** Milliseconds before the second and the third attempt. */
const RETRY_MS = [1_000, 3_000];

export type Pings = NonNullable<ReturnType<typeof openPings>>;

/** Sends pings in the order of the calls; null if the config has no address for them. No method throws. */
export function openPings({ notify, proxies }: Pick<Config, 'notify' | 'proxies'>, options: PingOptions) {
  const { clock, logger, deadlineMs = DEADLINE_MS } = options;
  const urls = notify?.ping;
  if (!urls) return null;
  const closing = createClosing(clock);
  let sent: Promise<void> = Promise.resolve();
  let run: AbortController | null = null;
  const send = (kind: keyof typeof urls, withinMs: number, isOutdated?: AbortSignal) => {
    const url = urls[kind];
    if (url === null) return;
    const call = { url, proxies, body: null, deadlineMs: withinMs, signal: closing.signal };
    const attempt = () => httpCall(call);
    const stop = AbortSignal.any([closing.signal, ...(isOutdated ? [isOutdated] : [])]);
    sent = sent.then(async () => logError(logger, kind, url, await tryThrice(attempt, clock, stop)));
  };
  const runEnded = (end: PingedEnd) => {
    run?.abort(); // a start that is sent after the end looks like a run that hangs
    run = null;
    if (end !== null) send(end, deadlineMs);
  };
  return {
    /** The run has its lock. */
    runStarted: () => {
      run = new AbortController();
      send('start', Math.min(deadlineMs, START_DEADLINE_MS), run.signal);
    },
    runEnded,
    /** A failure, if the run had started and was not interrupted. */
    runThrew: (error: unknown) => {
      if (run) runEnded(error instanceof InterruptedError ? null : 'failure');
    },
    /** Waits for pings in progress, at most `withinMs` or until the signal. */
    close: (withinMs?: number, signal?: AbortSignal) => closing.close(sent, withinMs, signal),
  };
}

/** The last error; null once an attempt succeeds. After `stop` no further attempt is made. */
async function tryThrice(
  attempt: () => Promise<string | null>,
  clock: Clock,
  stop: AbortSignal,
): Promise<string | null> {
  let error = await attempt();
  for (const waitMs of RETRY_MS) {
    if (error === null) break;
    try {
      await clock.sleep(waitMs, stop);
    } catch {
      break; // stopped
    }
    error = await attempt();
  }
  return error;
}

function logError(logger: Logger, ping: 'success' | 'start' | 'failure', url: string, error: string | null) {
  if (error === null) return;
  const host = hostOf(url);
  const name = ping === 'success' ? 'ping' : `${ping} ping`;
  logger.warn({ event: 'ping_failed', ping, host, error }, `the ${name} to ${host} failed: ${error}`);
}

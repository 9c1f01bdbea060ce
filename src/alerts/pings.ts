/** The pings about runs over everything: that one began, succeeded or failed. Runs do not wait for them. */
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { InterruptedError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import type { RunSummary } from '../sync/run.ts';
import { createClosing, hostOf, httpCall, type Call } from './http-call.ts';

/** How a run ended, as pings report it; null for one that was parked or interrupted, and that resumes. */
export type PingedEnd = 'success' | 'failure' | null;

export const PINGED_ENDS: Record<RunSummary['status'], PingedEnd> = {
  succeeded: 'success',
  partial: 'failure',
  failed: 'failure',
  parked: null,
  interrupted: null,
};

const MAX_ATTEMPTS = 3;
const RETRY_MS = 2_000;

export type Pings = NonNullable<ReturnType<typeof openPings>>;

/** Sends pings in the order of the calls; null if the config has no address for them. No method throws. */
export function openPings(
  { notify, proxies }: Pick<Config, 'notify' | 'proxies'>,
  { clock, logger }: { clock: Clock; logger: Logger },
) {
  const urls = notify?.ping;
  if (!urls) return null;
  const closing = createClosing(clock);
  let sent: Promise<void> = Promise.resolve();
  let isRunning = false;
  const send = (kind: keyof typeof urls, attempts: number) => {
    const url = urls[kind];
    if (url === null) return;
    const call = { url, proxies, body: null, signal: closing.signal };
    sent = sent.then(async () => logError(logger, kind, url, await tryCall(call, attempts, clock)));
  };
  const runEnded = (end: PingedEnd) => {
    isRunning = false;
    if (end !== null) send(end, MAX_ATTEMPTS);
  };
  return {
    /** The run has its lock. */
    runStarted: () => {
      isRunning = true;
      send('start', 1); // one attempt only, because the ping about the end waits for it
    },
    runEnded,
    /** A failure, if the run had started and was not interrupted. */
    runThrew: (error: unknown) => {
      if (isRunning) runEnded(error instanceof InterruptedError ? null : 'failure');
    },
    /** Waits for pings in progress, at most `withinMs` or until the signal. */
    close: (withinMs?: number, signal?: AbortSignal) => closing.close(sent, withinMs, signal),
  };
}

/** The last error; null once an attempt succeeds. After the signal of the call no further attempt is made. */
async function tryCall(call: Call, attempts: number, clock: Clock): Promise<string | null> {
  for (let attempt = 1; ; attempt++) {
    const error = await httpCall(call);
    if (error === null || attempt === attempts || call.signal.aborted) return error;
    await clock.sleep(RETRY_MS, call.signal).catch(() => undefined);
  }
}

function logError(logger: Logger, ping: 'success' | 'start' | 'failure', url: string, error: string | null) {
  if (error === null) return;
  const host = hostOf(url);
  const name = ping === 'success' ? 'ping' : `${ping} ping`;
  logger.warn({ event: 'ping_failed', ping, host, error }, `the ${name} to ${host} failed: ${error}`);
}

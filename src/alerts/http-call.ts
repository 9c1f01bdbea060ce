/** HTTP calls to the webhook and the pings of the config; errors and logs name only their host. */
import type { Clock } from '../lib/clock.ts';
import { errorCode, errorMessage, isWithoutTls } from '../lib/errors.ts';
import { callOnce } from '../lib/http/agent.ts';
import { decodePercent, type Proxies } from '../lib/http/proxies.ts';
import { version } from '../lib/package-root.ts';

export interface Call {
  url: string;
  /** The proxies of the environment. */
  proxies: Proxies;
  /** JSON to post; null: a GET. */
  body: string | null;
  /** Interrupts the call. */
  signal: AbortSignal;
}

/** Milliseconds until a response must be there. */
const DEADLINE_MS = 10_000;
const USER_AGENT = `vodhouse/${version()}`;
/** How many characters are shown of an error without a code. */
const MOST_CHARACTERS = 40;

/** Calls the address; null if the response is a 2xx, else the error. Reads no body. Never throws. */
export async function httpCall(
  { url, proxies, body, signal }: Call,
  deadlineMs = DEADLINE_MS,
): Promise<string | null> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const json = body === null ? {} : { 'content-type': 'application/json' };
  const { address, authorization } = extractPassword(url);
  try {
    const status = await callOnce({
      url: address,
      proxies,
      headers: { 'user-agent': USER_AGENT, accept: '*/*', ...json, ...authorization },
      body,
      signal: AbortSignal.any([deadline, signal]),
    });
    return status >= 200 && status < 300 ? null : formatStatus(status);
  } catch (error) {
    if (signal.aborted) return 'it was interrupted';
    if (deadline.aborted) return `no response within ${deadlineMs / 1000} s`;
    // the code, because a message may contain the address
    const reason = isWithoutTls(error) ? 'the server speaks no TLS: write http://' : errorCode(error);
    return `no connection (${reason || errorMessage(error).slice(0, MOST_CHARACTERS)})`;
  }
}

/** The host of an address, and its port: the rest of it may be a secret. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

/** The address without its `user:password@`, and the header with it (RFC 7617). */
function extractPassword(url: string): { address: URL; authorization: { authorization?: string } } {
  const address = new URL(url);
  const { username, password } = address;
  if (username === '' && password === '') return { address, authorization: {} };
  address.username = '';
  address.password = '';
  const pair = Buffer.from(`${decodePercent(username)}:${decodePercent(password)}`).toString('base64');
  return { address, authorization: { authorization: `Basic ${pair}` } };
}

function formatStatus(status: number): string {
  const isRedirect = status >= 300 && status < 400;
  const reason = isRedirect ? ', a redirect, which is not followed: configure its target' : '';
  return `it answered ${status}${reason}`;
}

const CLOSE_WITHIN_MS = 5_000;

/** A signal for calls, and a function that waits for them before it aborts the signal. */
export function createClosing(clock: Clock) {
  const controller = new AbortController();
  return {
    /** Interrupts the calls. */
    signal: controller.signal,
    /** Waits for `idle`, at most `withinMs` or until `early`; then interrupts what is in progress. */
    async close(idle: Promise<unknown>, withinMs = CLOSE_WITHIN_MS, early?: AbortSignal): Promise<void> {
      const isIdle = new AbortController();
      const until = AbortSignal.any([isIdle.signal, ...(early ? [early] : [])]);
      const timeout = clock.sleep(withinMs, until).catch(() => undefined);
      await Promise.race([idle, timeout]);
      isIdle.abort();
      controller.abort();
      await idle;
    },
  };
}

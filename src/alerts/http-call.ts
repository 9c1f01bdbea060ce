/** HTTP calls to the addresses in the config, the webhook and the pings; errors and logs name only their host. */
import { errorMessage } from '../lib/errors.ts';
import { version } from '../lib/version.ts';

export interface Call {
  url: string;
  /** JSON to post; null: a GET. */
  body: string | null;
  /** Milliseconds until the response must be there. */
  deadlineMs: number;
  /** Interrupts the call. */
  signal: AbortSignal;
}

const USER_AGENT = `vodhouse/${version()}`;

/** Calls the address; null if the response is a 2xx, else the error as text. Does not read the body. Never throws. */
export async function httpCall({ url, body, deadlineMs, signal }: Call): Promise<string | null> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const json = body === null ? {} : { 'content-type': 'application/json' };
  const { address, authorization } = extractPassword(url);
  try {
    const response = await fetch(address, {
      method: body === null ? 'GET' : 'POST',
      headers: { 'user-agent': USER_AGENT, ...json, ...authorization },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([deadline, signal]),
    });
    await response.body?.cancel();
    return response.ok ? null : formatStatus(response.status);
  } catch (error) {
    if (signal.aborted) return 'it was interrupted';
    if (deadline.aborted) return `no response within ${deadlineMs / 1000} s`;
    return `no connection (${getErrorCode(error)})`;
  }
}

/** The host of an address, and its port: the rest of it may be a secret. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

/** `fetch` rejects an address with `user:password@` in it: they become a header (RFC 7617). */
function extractPassword(url: string): { address: URL; authorization: { authorization?: string } } {
  const address = new URL(url);
  const { username, password } = address;
  if (username === '' && password === '') return { address, authorization: {} };
  address.username = '';
  address.password = '';
  const pair = Buffer.from(`${decode(username)}:${decode(password)}`).toString('base64');
  return { address, authorization: { authorization: `Basic ${pair}` } };
}

/** Without percent-encoding; unchanged where a percent sign is not an encoding. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function formatStatus(status: number): string {
  const isRedirect = status >= 300 && status < 400;
  return `it answered ${status}${isRedirect ? ', a redirect, which is not followed: configure its target' : ''}`;
}

/** The message of `fetch` has no reason, and the messages of its causes may contain the address: returns the code. */
function getErrorCode(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : errorMessage(error).slice(0, 40);
}

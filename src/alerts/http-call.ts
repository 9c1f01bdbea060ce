/** One request to an address that people gave us: what came of it, and never more of the address than its host. */
import { errorMessage } from '../lib/errors.ts';
import { version } from '../lib/version.ts';

export interface Call {
  url: string;
  /** JSON to post; null: the address is only got. */
  body: string | null;
  /** Milliseconds that the answer may take. */
  deadlineMs: number;
  /** Breaks it off. */
  signal: AbortSignal;
}

/** The longest that an answer is waited for. */
export const DEADLINE_MS = 10_000;

const USER_AGENT = `vodhouse/${version()}`;

/** Makes the request; null where the answer is a 2xx, else why not, in words. Its body is not read. Never throws. */
export async function httpCall({ url, body, deadlineMs, signal }: Call): Promise<string | null> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const json = body === null ? {} : { 'content-type': 'application/json' };
  const { address, authorization } = withoutPassword(url);
  try {
    const response = await fetch(address, {
      method: body === null ? 'GET' : 'POST',
      headers: { 'user-agent': USER_AGENT, ...json, ...authorization },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([deadline, signal]),
    });
    await response.body?.cancel();
    return judge(response.status);
  } catch (error) {
    if (signal.aborted) return 'it was broken off';
    if (deadline.aborted) return `no answer within ${deadlineMs / 1000} s`;
    return `no connection (${codeOf(error)})`;
  }
}

/** The host of an address, and its port: the rest of it may be a secret. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

/** `fetch` refuses an address with `user:password@` in it: they go as a header (RFC 7617). */
function withoutPassword(url: string): { address: URL; authorization: { authorization?: string } } {
  const address = new URL(url);
  const { username, password } = address;
  if (username === '' && password === '') return { address, authorization: {} };
  address.username = '';
  address.password = '';
  const pair = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  return { address, authorization: { authorization: `Basic ${pair}` } };
}

/** Without its percent-encoding; as it is where a percent sign stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function judge(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  const isRedirect = status >= 300 && status < 400;
  return `it answered ${status}${isRedirect ? ', which sends elsewhere: name the address that answers itself' : ''}`;
}

/** `fetch` says no more than that it failed; messages of what is below may hold the address. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : errorMessage(error).slice(0, 40);
}

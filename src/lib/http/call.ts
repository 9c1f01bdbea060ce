/** A single call of an address that is no service of videos: a webhook, a ping. */
import { request } from 'undici';
import { createAgent } from './agent.ts';
import type { Proxy } from './proxy.ts';

export interface HttpCall {
  url: URL;
  proxy: Proxy | null;
  headers: Record<string, string>;
  /** To post; null: a GET. */
  body: string | null;
  signal: AbortSignal;
}

/** Milliseconds to open a connection. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Sends it over a connection of its own and returns the status; reads no body, follows no redirect. Rejects with the error of Node or the proxy. */
export async function callOnce({ url, proxy, headers, body, signal }: HttpCall): Promise<number> {
  const agent = createAgent({ connections: 1, connectTimeoutMs: CONNECT_TIMEOUT_MS, proxy, ca: null });
  try {
    const method = body === null ? 'GET' : 'POST';
    const response = await request(url, { dispatcher: agent, method, headers, body, signal });
    response.body.on('error', () => undefined).destroy();
    return response.statusCode;
  } finally {
    await agent.destroy();
  }
}

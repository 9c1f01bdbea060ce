/** A webhook on loopback that records its calls. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Post } from '../../../src/alerts/messages.ts';
import { listenOnLoopback } from './loopback.ts';

export interface SeenCall {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The response: a status (with a location for redirects), or none at all. */
export type WebhookReply = number | { status: number; location: string } | 'hang';

type WebhookAnswer = WebhookReply | ((call: SeenCall) => WebhookReply | Promise<WebhookReply>);

export type Webhook = Awaited<ReturnType<typeof startWebhook>>;

export const SECRET_PATH = '/services/T0000/B0000/x7f-secret-path';

/** A webhook that accepts calls until the end of the test, unless the test sets another response. */
export async function startWebhook() {
  const calls: SeenCall[] = [];
  const received: Post[] = [];
  let reply: WebhookAnswer = 204;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const call = { method, path, headers, body };
      calls.push(call);
      void Promise.resolve(typeof reply === 'function' ? reply(call) : reply).then((result) => {
        if (result === 'hang') return;
        const { status, location = '' } = typeof result === 'number' ? { status: result } : result;
        if (status >= 200 && status < 300 && body !== '') received.push(JSON.parse(body) as Post);
        response.writeHead(status, location === '' ? {} : { location }).end('thank you');
      });
    });
  });
  const { host, close } = await listenOnLoopback(server);
  onTestFinished(close);
  return {
    /** Its path is a secret. */
    url: `http://${host}${SECRET_PATH}`,
    host,
    calls,
    /** The posted messages of all calls that got a 2xx response. */
    received,
    /** Sets the response of all later calls. */
    answer: (next: WebhookAnswer) => void (reply = next),
  };
}

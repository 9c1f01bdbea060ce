/** A real webhook on loopback that keeps what is posted to it. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Post } from '../../../src/alerts/messages.ts';

export interface SeenCall {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What it answers: a status (and where to), or nothing ever. */
export type WebhookReply = number | { status: number; location: string } | 'hang';

type WebhookAnswer = WebhookReply | ((call: SeenCall) => WebhookReply | Promise<WebhookReply>);

export interface Webhook {
  /** With a path that is a secret. */
  url: string;
  host: string;
  calls: SeenCall[];
  /** The calls that were answered with 2xx, as what was posted. */
  taken: Post[];
  /** Answers like this from now on. */
  answer: (reply: WebhookAnswer) => void;
}

export const SECRET_PATH = '/services/T0000/B0000/x7f-secret-path';

/** A webhook that takes what it gets until it is told otherwise, or the test is over. */
export async function startWebhook(): Promise<Webhook> {
  const calls: SeenCall[] = [];
  const taken: Post[] = [];
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
        if (status >= 200 && status < 300 && body !== '') taken.push(JSON.parse(body) as Post);
        response.writeHead(status, location === '' ? {} : { location }).end('thank you');
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}${SECRET_PATH}`, host, calls, taken, answer: (next) => void (reply = next) };
}

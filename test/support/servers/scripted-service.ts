/** An HTTP server on loopback that responds by a script and records its requests. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenOnLoopback } from './loopback.ts';

/** A request as the server received it. */
export interface SeenRequest {
  /** Counts from 1, over all requests of this server. */
  number: number;
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** The time of arrival, in milliseconds since 1970. */
  at: number;
  /** The number of its connection, from 1. */
  connection: number;
}

/** A complete response: by default status 200, JSON, with content-length and without `date`. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** A response that ends after this number of bytes of its body. */
export interface TruncatedAnswer extends Answer {
  truncateAfter: number;
  /** True: chunked, without a content-length. */
  chunked?: boolean;
}

/** A response that never ends: the text is repeated. */
export interface DrippingAnswer {
  drip: string;
  everyMs: number;
}

/** `hang`: never a response. `drop`: the connection is closed without a response. */
export type Reply = Answer | TruncatedAnswer | DrippingAnswer | 'hang' | 'drop';

/** Returns the reply to a request; a promise delays the response. */
export type Script = (request: SeenRequest) => Reply | Promise<Reply>;

/** The reply with a `Date`, in milliseconds since 1970, unless it has one; null: as it is. */
export function addDate(reply: Reply, date: number | null): Reply {
  if (date === null || typeof reply === 'string' || 'drip' in reply) return reply;
  return { ...reply, headers: { date: new Date(date).toUTCString(), ...reply.headers } };
}

type Certificate = Pick<ServerOptions, 'cert' | 'key'>;

/** A server that follows the script until the end of the test; with a certificate, over TLS. */
export async function startScriptedService(script: Script, certificate?: Certificate) {
  const service = await serveScript(script, certificate);
  onTestFinished(service.close);
  return service;
}

/** The same for several tests; the caller closes it. */
export async function serveScript(script: Script, certificate?: Certificate) {
  const requests: SeenRequest[] = [];
  const connections = new Map<Socket, number>();
  let opened = 0;
  let waiting = 0;
  let mostAtOnce = 0;

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = readRequest(incoming, requests.length + 1, connections.get(incoming.socket) ?? 0);
    requests.push(seen);
    mostAtOnce = Math.max(mostAtOnce, ++waiting);
    response.on('close', () => waiting--);
    response.sendDate = false; // of the clock of the machine, not of the test
    sendReply(await script(seen), response);
  }

  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    serve(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  };
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
  server.on('connection', (socket: Socket) => {
    connections.set(socket, ++opened);
    socket.on('close', () => connections.delete(socket));
  });
  const { host, close } = await listenOnLoopback(server);
  return {
    /** Without a trailing slash: it serves as both base addresses. */
    url: `${certificate ? 'https' : 'http'}://${host}`,
    requests,
    /** Connections opened so far. */
    connections: () => opened,
    /** The largest number of concurrent requests. */
    mostAtOnce: () => mostAtOnce,
    close,
  };
}

function readRequest(incoming: IncomingMessage, number: number, connection: number): SeenRequest {
  const url = new URL(incoming.url ?? '/', 'http://service.test');
  return {
    number,
    method: incoming.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    at: Date.now(),
    connection,
  };
}

function sendReply(reply: Reply, response: ServerResponse): void {
  if (reply === 'hang') return;
  if (reply === 'drop') response.destroy();
  else if ('drip' in reply) drip(reply, response);
  else if ('truncateAfter' in reply) truncate(reply, response);
  else answer(reply, response);
}

function answer({ status = 200, headers = {}, body = '' }: Answer, response: ServerResponse): void {
  const content = Buffer.from(body);
  response.writeHead(status, { ...JSON_TYPE, 'content-length': content.length, ...headers });
  response.end(content);
}

function truncate(reply: TruncatedAnswer, response: ServerResponse): void {
  const { status = 200, headers = {}, body = '', truncateAfter, chunked = false } = reply;
  const content = Buffer.from(body);
  const length = chunked ? {} : { 'content-length': content.length };
  response.writeHead(status, { ...JSON_TYPE, ...length, ...headers });
  response.write(content.subarray(0, truncateAfter), () => response.destroy());
}

function drip({ drip: text, everyMs }: DrippingAnswer, response: ServerResponse): void {
  response.writeHead(200, JSON_TYPE);
  response.write(text);
  const timer = setInterval(() => response.write(text), everyMs);
  response.on('close', () => clearInterval(timer));
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** A script that replies in this order; the last reply is repeated. */
export function replyInOrder(...replies: Reply[]) {
  return ({ number }: { number: number }): Reply => replies[number - 1] ?? replies.at(-1) ?? 'drop';
}

/** A gate that the test opens: `open` resolves `opened`. */
export function createGate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

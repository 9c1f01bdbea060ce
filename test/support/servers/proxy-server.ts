/** An HTTP proxy on loopback: tunnels (CONNECT) and forwards plain requests, and records both. */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenOnLoopback } from './loopback.ts';

export interface ProxyOptions {
  /** `name:password` that it asks for. */
  login?: string;
  /** Answers every request with this, `hang` with nothing. */
  answer?: { status: number; headers?: Record<string, string> } | 'hang';
  /** Ports on loopback by the host that is asked for; others are used as they are. */
  ports?: Record<string, number>;
  /** Speaks TLS itself. */
  tls?: Pick<ServerOptions, 'cert' | 'key'>;
}

/**
 * A proxy until the end of the test. `requests` are `CONNECT host:port`, or `GET http://host/path`, in their order; `tunnels` is
 * the number of open ones.
 */
export async function startProxy(options: ProxyOptions = {}) {
  const { tls, ports = {} } = options;
  const requests: string[] = [];
  let tunnels = 0;
  const forward = (incoming: IncomingMessage, response: ServerResponse) => {
    requests.push(`${incoming.method} ${incoming.url?.split('?')[0]}`);
    const refusal = findRefusal(incoming, options);
    if (refusal === 'hang') return;
    if (refusal) response.writeHead(refusal.status, refusal.headers).end('<h1>proxy</h1>');
    else pass(incoming, response, ports);
  };
  const server = tls ? createTlsServer(tls, forward) : createServer(forward);
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    requests.push(`CONNECT ${incoming.url}`);
    const refusal = findRefusal(incoming, options);
    if (refusal === 'hang') return;
    if (refusal) {
      const headers = Object.entries(refusal.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${refusal.status} Nope\r\n${headers.join('')}content-length: 0\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const target = connect(ports[hostname] ?? Number(port), '127.0.0.1', () => {
      tunnels++;
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('close', () => tunnels--).on('error', () => socket.destroy());
    socket.on('error', () => target.destroy()).on('close', () => target.destroy());
  });
  server.on('connection', (socket: Socket) => socket.on('error', () => undefined));
  const { host, close } = await listenOnLoopback(server);
  onTestFinished(close);
  return { host, url: `${tls ? 'https' : 'http'}://${host}`, requests, tunnels: () => tunnels, close };
}

function findRefusal({ headers }: IncomingMessage, { login, answer }: ProxyOptions) {
  const given = headers['proxy-authorization'];
  if (login !== undefined && given !== `Basic ${Buffer.from(login).toString('base64')}`)
    return { status: 407, headers: { 'proxy-authenticate': 'Basic realm="proxy"' } };
  return answer;
}

function pass(incoming: IncomingMessage, response: ServerResponse, ports: Record<string, number>): void {
  const { hostname, port, pathname, search } = new URL(incoming.url ?? '/');
  const headers = { ...incoming.headers };
  delete headers['proxy-authorization'];
  const target = { host: '127.0.0.1', port: ports[hostname] ?? port, path: `${pathname}${search}` };
  const outgoing = request({ ...target, method: incoming.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.writeHead(502).end());
  incoming.pipe(outgoing);
}

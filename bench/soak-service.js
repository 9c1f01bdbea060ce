/** The simulated accounts of the soak: sandboxes behind HTTP on loopback, with faults, changes and a clock that can be moved. */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify } from 'fastify';
import { createSandbox } from '../dist/sandbox/sandbox.js';
import { isSentAsDoubles } from '../dist/sandbox/sample-storage.js';
import { allowAll, createKeyAuth } from '../dist/service/server/api-keys.js';
import { addServiceRoutes } from '../dist/service/server/routes.js';
import { createFaults, createRandom, spoil } from './soak-faults.js';

export const TIMEZONE = 'UTC';
const KEY = 'soak-key-of-the-account';
const PAGE_SIZE = 200;
const PACKAGES = [
  { id: 101, videos: 4_000 },
  { id: 102, videos: 900 },
  { id: 103, videos: 150 },
  { id: 104, videos: 12 },
  { id: 105, videos: 0 },
];
const [STALL_MS, SLOW_MS, WAIT_SECONDS] = [45_000, 4_000, 20];
const EPOCH = 24 * 3_600_000;

/** Starts an account of the service. `getOffset`: milliseconds by which its clock is ahead of the machine's. */
export async function startAccount(name, seed, getOffset) {
  const clock = { now: () => Date.now() + getOffset(), sleep };
  const sandbox = createSandbox({ clock, packages: PACKAGES, timezone: TIMEZONE, seed, keys: [KEY] });
  const random = createRandom(seed * 7919);
  const account = {
    name,
    key: KEY,
    packages: PACKAGES.map(({ id }) => id),
    sandbox,
    requests: 0,
    faults: {},
    isQuiet: false,
    memory: { zeroed: new Set(), booked: new Set() },
    random,
    drawFault: createFaults(random),
  };
  const app = fastify();
  addServiceRoutes(app, {
    catalogue: sandbox.catalogue,
    authorize: { videos: createKeyAuth([KEY], ['query']), storage: allowAll },
    now: clock.now,
    defaultPageSize: PAGE_SIZE,
    maxPageSize: PAGE_SIZE,
    asDoubles: (day) => isSentAsDoubles(seed, day),
  });
  const server = createServer((request, response) => {
    answer(account, app, request, response).catch(() => response.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  account.url = `http://127.0.0.1:${server.address().port}`;
  account.churn = () => churn(account);
  account.close = async () => {
    server.close();
    server.closeAllConnections();
    await app.close();
  };
  return account;
}

/** A few changes, and now and then very many. */
function churn({ sandbox, random, isQuiet }) {
  if (!isQuiet) sandbox.churn(random() < 0.02 ? 300 : Math.floor(random() * 6));
}

async function answer(account, app, request, response) {
  account.requests++;
  const isList = request.url.includes('/videos.json');
  const kind = account.isQuiet ? null : account.drawFault(isList);
  if (kind) account.faults[kind] = (account.faults[kind] ?? 0) + 1;
  if (kind && sendPlain(kind, account, response)) return;
  if (kind === 'slow') await sleep(account.random() * SLOW_MS);
  if (kind === 'stalled') await sleep(STALL_MS, undefined, { ref: false });
  const url = kind === 'page of another package' ? swapPackage(request.url) : request.url;
  const { statusCode, headers, payload } = await app.inject({ method: request.method, url });
  const isBody = statusCode === 200 && !payload.includes('"errorCode":"P');
  const text = kind && isBody ? spoil(kind, payload, account.random, account.memory) : payload;
  const date = kind === 'wrong date' ? new Date(Date.now() - 3 * EPOCH).toUTCString() : headers.date;
  const body = Buffer.from(text);
  response.sendDate = false;
  response.writeHead(statusCode, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    ...(date && { date }),
  });
  if (kind !== 'cut') return void response.end(body);
  response.write(body.subarray(0, Math.floor(account.random() * body.length)), () => response.destroy());
}

const swapPackage = (url) => url.replace(/pkg=(101|102)/, (_, id) => `pkg=${id === '101' ? 102 : 101}`);

/** Answers a fault that needs nothing of the service; false: it is another one. */
function sendPlain(kind, { random }, response) {
  const send = (status, body = '', headers = {}) => void response.writeHead(status, headers).end(body);
  const time = { 'retry-after': String(1 + Math.floor(random() * WAIT_SECONDS)) };
  const plain = {
    'error 500': () => send(500, 'internal error'),
    'error 503': () => send(503, 'not now'),
    'error 503 with a time': () => send(503, 'not now', time),
    '429 with a time': () => send(429, 'too many', time),
    dropped: () => response.destroy(),
    'not JSON': () => send(200, '<html><body>maintenance</body></html>', { 'content-type': 'text/html' }),
    empty: () => send(200),
    'error code': () => send(200, errorBody('Busy')),
    'restricted code': () => send(200, errorBody('TooMany')),
  };
  if (!plain[kind]) return false;
  plain[kind]();
  return true;
}

function errorBody(errorCode) {
  const paging = { page: 0, pagesize: 0, totalcount: 0, totalpage: 0 };
  const errorInfo = { errorCode, errorMessage: 'try again later' };
  return JSON.stringify({
    message: errorCode,
    data: { list: [] },
    videoInfoList: { apiVideoSearchOption: {}, videoInfoList: [], errorInfo, paging },
  });
}

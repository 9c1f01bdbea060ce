import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreError, type S3Place, type Store } from '../../src/publishing/targets/lake/store.ts';
import { SELF_SIGNED } from '../support/fixtures/self-signed.ts';
import { openQuickStore } from '../support/fixtures/test-store.ts';
import { startS3Server, type S3Fault, type S3Server } from '../support/servers/s3-server.ts';

const bytes = (text: string) => [Buffer.from(text)];
const KEY = 'latest/account=main.json';

/** The faults of the first requests; the others are carried out. */
const first =
  (...faults: S3Fault[]) =>
  ({ number }: { number: number }) =>
    faults[number - 1] ?? null;

async function getError(work: Promise<unknown>): Promise<StoreError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreError);
  return error as StoreError;
}

const SLOW_DOWN: S3Fault = { kind: 'answer', status: 503, code: 'SlowDown' };
const PASSING: readonly (readonly [name: string, fault: S3Fault])[] = [
  ['500', { kind: 'answer', status: 500, code: 'InternalError' }],
  ['502 of a proxy, as HTML', { kind: 'answer', status: 502, body: '<html><br>Bad gateway' }],
  ['SlowDown', SLOW_DOWN],
  ['429', { kind: 'answer', status: 429 }],
  ['RequestTimeout', { kind: 'answer', status: 400, code: 'RequestTimeout' }],
  ['ConditionalRequestConflict', { kind: 'answer', status: 409, code: 'ConditionalRequestConflict' }],
  ['a connection that is closed', { kind: 'close', isApplied: false }],
  ['a frozen server', { kind: 'freeze', isApplied: false }],
];

describe('after an error that passes by', () => {
  it.each(PASSING)('(%s) each operation of the store is carried out', async (_name, fault) => {
    const server = await startS3Server();
    const store = openQuickStore(server.place('lake'), { attemptMs: 200 });
    const twice = () => {
      server.restart();
      server.order(first(fault, fault));
    };
    twice();
    const etag = (await store.putIfAbsent(KEY, bytes('one'))) ?? '';
    twice();
    expect(await store.get(KEY)).toEqual({ body: Buffer.from('one'), etag });
    twice();
    const next = await store.replace(KEY, bytes('two'), etag);
    expect(next).toBe(server.objects.get(`lake/${KEY}`)?.etag);
    twice();
    const keys = [];
    for await (const { key } of store.list('latest/')) keys.push(key);
    expect(keys).toEqual([KEY]);
    twice();
    await store.put(KEY, bytes('three'));
    twice();
    await store.remove([KEY]);
    expect(server.objects.size).toBe(0);
  });

  it('that does not pass, the store says what it met last, after a bounded number of attempts', async () => {
    const server = await startS3Server();
    const store = openQuickStore(server.place(), { attempts: 4 });
    server.order(() => SLOW_DOWN);
    const error = await getError(store.get(KEY));
    expect(error.message).toBe(
      's3://lake: the store asks for fewer requests: ordered by the test (SlowDown)',
    );
    expect(error).toMatchObject({ code: 'SlowDown', retry: 'backoff' });
    expect(server.requests).toHaveLength(4);
  });

  it('no attempt begins once the time for them is over', async () => {
    const server = await startS3Server();
    const store = openQuickStore(server.place(), { attempts: 1000, retryMs: 30 });
    server.order(() => ({ kind: 'answer', status: 500 }));
    expect(await getError(store.get(KEY))).toMatchObject({ code: 'HTTP 500', retry: 'backoff' });
    expect(server.requests.length).toBeLessThan(200);
  });

  it('an answer that is cut off is read again', async () => {
    const server = await startS3Server();
    const store = openQuickStore(server.place());
    await store.put(KEY, bytes('one'));
    server.restart();
    server.order(first({ kind: 'cut' }, { kind: 'cut' }));
    expect(String((await store.get(KEY))?.body)).toBe('one');
    expect(server.requests).toHaveLength(3);
  });

  it('a server that freezes in its answer is asked again', async () => {
    const server = await startS3Server();
    const store = openQuickStore(server.place(), { attemptMs: 100, bytesPerSecond: 20_000 });
    await store.put(KEY, bytes('one'));
    server.restart();
    server.order(first({ kind: 'freeze', isApplied: true, headers: true }));
    expect(String((await store.get(KEY))?.body)).toBe('one');
  });
});

const APPLIED: readonly (readonly [name: string, fault: S3Fault])[] = [
  ['the connection is closed', { kind: 'close', isApplied: true }],
  ['the server freezes', { kind: 'freeze', isApplied: true }],
  ['a proxy answers 504', { kind: 'applied', status: 504, code: 'GatewayTimeout' }],
];

describe('a write that was carried out and not answered, because', () => {
  it.each(APPLIED)('%s: it finds its own bytes, and is done', async (_name, fault) => {
    const server = await startS3Server();
    const store = openQuickStore(server.place(), { attemptMs: 200 });
    server.order(first(fault));
    const etag = (await store.putIfAbsent(KEY, bytes('one'))) ?? '';
    expect(etag).toBe(server.objects.get(KEY)?.etag);
    server.restart();
    const next = await store.replace(KEY, bytes('two'), etag);
    expect(next).toBe(server.objects.get(KEY)?.etag);
    expect(String(server.objects.get(KEY)?.body)).toBe('two');
  });

  it('a write over nothing that finds other bytes has lost', async () => {
    const server = await startS3Server();
    const store = openQuickStore(server.place());
    server.order(({ number, key }) => {
      if (number !== 1) return null;
      server.objects.set(key, { body: Buffer.from('theirs'), etag: 'other', modifiedAtMs: 0 });
      return { kind: 'close', isApplied: false };
    });
    expect(await store.putIfAbsent(KEY, bytes('mine'))).toBe(null);
    server.restart();
    expect(await store.replace(KEY, bytes('mine'), 'old')).toBe(null);
    expect(String(server.objects.get(KEY)?.body)).toBe('theirs');
  });
});

interface Told {
  message: string;
  code: string;
  hint: RegExp;
}

/** What the store is told of, the fault of the server, and what is said. */
const REFUSALS: readonly (readonly [name: string, set: (server: S3Server) => S3Place, told: Told])[] = [
  [
    'another bucket',
    (server) => server.place('p', { bucket: 'other' }),
    {
      message:
        's3://other/p: there is no bucket other at 127.0.0.1:PORT: The specified bucket does not exist (NoSuchBucket)',
      code: 'NoSuchBucket',
      hint: /make the bucket, or correct `s3:`/,
    },
  ],
  [
    'an unknown access key',
    (server) => server.place('p', { accessKeyId: 'AKIAOTHER' }),
    {
      message:
        's3://lake/p: the store does not know the access key: The AWS Access Key Id you provided does not exist in our records. (InvalidAccessKeyId)',
      code: 'InvalidAccessKeyId',
      hint: /correct `access_key_id:`.*kill -HUP/,
    },
  ],
  [
    'a wrong secret',
    (server) => server.place('p', { secretAccessKey: 'wrong' }),
    {
      message:
        's3://lake/p: the store does not accept the signature: the secret access key is wrong, or a proxy changes requests: The request signature we calculated does not match the signature you provided. (SignatureDoesNotMatch)',
      code: 'SignatureDoesNotMatch',
      hint: /secret_access_key/,
    },
  ],
  [
    'another region',
    (server) => server.place('p', { region: 'us-east-1' }),
    {
      message:
        "s3://lake/p: the bucket is in the region eu-central-1, not in us-east-1: The authorization header is malformed; the region 'us-east-1' is wrong; expecting 'eu-central-1' (AuthorizationHeaderMalformed)",
      code: 'AuthorizationHeaderMalformed',
      hint: /write `region: eu-central-1`/,
    },
  ],
  [
    'a redirect to another region',
    (server) => {
      const headers = { 'x-amz-bucket-region': 'ap-northeast-2', location: 'http://127.0.0.1:9/' };
      server.order(() => ({ kind: 'answer', status: 301, headers }));
      return server.place('p');
    },
    {
      message:
        's3://lake/p: the bucket is in the region ap-northeast-2, not in eu-central-1 (PermanentRedirect)',
      code: 'PermanentRedirect',
      hint: /write `region: ap-northeast-2`/,
    },
  ],
  [
    'no rights',
    (server) => {
      server.order(() => ({ kind: 'answer', status: 403, code: 'AccessDenied', message: 'Access Denied' }));
      return server.place('p');
    },
    {
      message: 's3://lake/p: the store does not allow it: Access Denied (AccessDenied)',
      code: 'AccessDenied',
      hint: /s3:PutObject.* on lake\/p\/\*/,
    },
  ],
  [
    'an expired token',
    (server) => {
      server.order(() => ({ kind: 'answer', status: 400, code: 'ExpiredToken', message: 'expired' }));
      return server.place('p');
    },
    {
      message: 's3://lake/p: the session token has expired: expired (ExpiredToken)',
      code: 'ExpiredToken',
      hint: /new temporary keys/,
    },
  ],
  [
    'a web server that is no store',
    (server) => {
      server.order(() => ({ kind: 'answer', status: 404, body: '<html><p>Not found' }));
      return server.place('p');
    },
    {
      message: 's3://lake/p: 127.0.0.1:PORT answered 404, but not as S3 does (HTTP 404)',
      code: 'HTTP 404',
      hint: /not that of its console/,
    },
  ],
  [
    'a web server that answers everything with a page',
    (server) => {
      server.order(() => ({ kind: 'answer', status: 200, body: '<html><p>Welcome' }));
      return server.place('p');
    },
    {
      message: 's3://lake/p: 127.0.0.1:PORT answered 200, but not as S3 does',
      code: 'NotS3',
      hint: /correct `endpoint:`/,
    },
  ],
];

describe('what no attempt heals is told at once:', () => {
  it.each(REFUSALS)('%s', async (_name, set, { message, code, hint }) => {
    const server = await startS3Server();
    const store = openQuickStore(set(server));
    const operations: (() => Promise<unknown>)[] = [
      () => store.get(KEY),
      () => store.put(KEY, bytes('one')),
      () => store.putIfAbsent(KEY, bytes('one')),
      () => store.replace(KEY, bytes('one'), 'etag'),
      () => listAll(store),
    ];
    for (const operation of operations) {
      server.restart();
      const error = await getError(operation());
      expect(error.message.replace(/:\d{4,5}\b/, ':PORT')).toBe(message);
      expect(error).toMatchObject({ code, hint: expect.stringMatching(hint) as unknown, retry: 'hourly' });
      expect(server.requests).toHaveLength(1);
    }
    expect(server.objects.size).toBe(0);
  });

  it.each([
    [20 * 60_000, '20m behind'],
    [-3 * 3_600_000, '3h ahead of'],
  ])('a clock of this machine that differs by %d ms', async (aheadMs, told) => {
    const server = await startS3Server({ aheadMs });
    const store = openQuickStore(server.place());
    const error = await getError(store.get(KEY));
    expect(error.message).toContain(
      `the store refuses requests because of the clock of this machine, which is ${told} that of the store`,
    );
    expect(error).toMatchObject({ code: 'RequestTimeTooSkewed', retry: 'hourly' });
    expect(server.requests).toHaveLength(1);
  });
});

it('a list whose pages are all empty ends with an error', async () => {
  const server = await startS3Server();
  const page = '<IsTruncated>true</IsTruncated><NextContinuationToken>same</NextContinuationToken>';
  server.order(() => ({
    ...{ kind: 'answer', status: 200 },
    body: `<?xml version="1.0"?><ListBucketResult>${page}</ListBucketResult>`,
  }));
  const error = await getError(listAll(openQuickStore(server.place())));
  expect(error).toMatchObject({ code: 'NotS3' });
  expect(server.requests).toHaveLength(2);
});

async function listAll(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list('')) keys.push(key);
  return keys;
}

describe('the clock of the store', () => {
  it.each([0, 90_000, -90_000])('is that of its answers: %d ms ahead', async (aheadMs) => {
    const server = await startS3Server({ aheadMs });
    const store = openQuickStore(server.place());
    for (let times = 0; times < 3; times++) await store.get(KEY);
    expect(Math.abs(store.now() - Date.now() - aheadMs)).toBeLessThan(2000);
  });
});

describe('a store that cannot be reached', () => {
  it('is told with its address: nothing listens', async () => {
    const server = await startS3Server();
    await server.close();
    const error = await getError(openQuickStore(server.place()).get(KEY));
    expect(error.message).toMatch(/^s3:\/\/lake: nothing listens at 127\.0\.0\.1:\d+$/);
    expect(error).toMatchObject({ code: 'ECONNREFUSED', retry: 'backoff' });
  });

  it('is told with its address: no such name', async () => {
    const server = await startS3Server();
    const place = { ...server.place(), endpoint: 'http://s3.invalid', isPathStyle: false };
    const error = await getError(openQuickStore(place).get(KEY));
    expect(error.message).toBe('s3://lake: the name lake.s3.invalid is unknown to the DNS');
    expect(error.hint).toContain('path_style: true');
  });

  it('is told with its address: frozen', async () => {
    const server = await startS3Server();
    server.order(() => ({ kind: 'freeze', isApplied: false }));
    const error = await getError(openQuickStore(server.place(), { attemptMs: 50, attempts: 2 }).get(KEY));
    expect(error.message).toMatch(/^s3:\/\/lake: 127\.0\.0\.1:\d+ did not answer within 50ms$/);
    expect(error.code).toBe('ETIMEDOUT');
  });

  it('is told with its address: no HTTP', async () => {
    const endpoint = await listen(createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')));
    const error = await getError(openQuickStore(await placeAt(`http://${endpoint}`)).get(KEY));
    expect(error.message).toContain('does not answer as HTTP');
  });

  it('is told with its address: a certificate that is not trusted', async () => {
    const endpoint = await listen(createTlsServer({ cert: SELF_SIGNED.cert, key: SELF_SIGNED.key }));
    const error = await getError(openQuickStore(await placeAt(`https://${endpoint}`)).get(KEY));
    expect(error.message).toContain(`the certificate of ${endpoint} is not trusted`);
    expect(error).toMatchObject({
      retry: 'hourly',
      hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') as unknown,
    });
  });

  it('is told with its address: https in the config where there is no TLS', async () => {
    const server = await startS3Server();
    const place = { ...server.place(), endpoint: server.endpoint.replace('http:', 'https:') };
    const error = await getError(openQuickStore(place).get(KEY));
    expect(error.message).toContain('has no TLS, but `endpoint:` begins with https://');
    expect(error).toMatchObject({ code: 'EPROTO', retry: 'hourly' });
  });
});

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const placeAt = async (endpoint: string): Promise<S3Place> => ({
  ...(await startS3Server()).place(),
  endpoint,
});

describe('close()', () => {
  it('ends requests under way, and pauses', async () => {
    const server = await startS3Server();
    for (const fault of [{ kind: 'freeze', isApplied: false }, SLOW_DOWN] as const) {
      const store = openQuickStore(server.place(), { baseMs: 100_000, capMs: 100_000, attempts: 100 });
      server.order(() => fault);
      server.restart();
      const error = getError(store.get(KEY));
      await expect.poll(() => server.requests.length).toBeGreaterThan(0);
      await store.close();
      expect(await error).toMatchObject({ code: 'CLOSED' });
    }
  });
});

/** Answers that repeat texts, and others. */
function listEchoes(texts: readonly string[]): (S3Fault | null)[] {
  const echo = [...texts, ...texts.map(encodeURIComponent)].join(' ');
  return [
    ...PASSING.map(([, fault]) => fault),
    { kind: 'answer', status: 403, code: 'AccessDenied', message: `no ${echo} ${'ab'.repeat(32)}` },
    { kind: 'answer', status: 400, code: echo, message: echo },
    { kind: 'answer', status: 500, body: echo },
    { kind: 'answer', status: 200, body: echo },
    { kind: 'answer', status: 301, headers: { 'x-amz-bucket-region': texts.join('') } },
    { kind: 'cut' },
    null,
  ];
}

describe('the login of a store', () => {
  const canaries = {
    accessKeyId: 'AKIACANARY',
    secretAccessKey: 'canary/secret+key=',
    sessionToken: 'canary//token+of=session',
  };

  it('is in no error and no address, whatever the store answers', async () => {
    const server = await startS3Server(canaries);
    const texts: string[] = [];
    for (const changes of [
      {},
      { region: 'us-east-1' },
      { sessionToken: 'canary-2' },
      { secretAccessKey: 'canary-3' },
    ])
      for (const fault of listEchoes(Object.values({ ...canaries, ...changes }))) {
        const store = openQuickStore(server.place('p', changes), { attempts: 2, attemptMs: 50 });
        server.order(() => fault);
        for (const work of [() => store.get(KEY), () => store.put(KEY, bytes('one')), () => listAll(store)])
          texts.push(inspect(await work().catch((error: unknown) => error), { depth: 20, showHidden: true }));
        texts.push(store.name, store.toUri(KEY), inspect(store, { depth: 20 }));
        await store.close();
      }
    expect(texts.filter((text) => text.includes('StoreError')).length).toBeGreaterThan(100);
    const signature = /\b[0-9a-f]{64}\b/;
    expect(texts.filter((text) => /canary|Signature=/i.test(text) || signature.test(text))).toEqual([]);
  });

  it('with a session token is accepted by the store', async () => {
    const server = await startS3Server(canaries);
    const store = openQuickStore(server.place('p'));
    await store.put(KEY, bytes('one'));
    expect(await listAll(store)).toEqual([KEY]);
    const other = openQuickStore(server.place('p', { sessionToken: null }));
    expect((await getError(other.get(KEY))).code).toBe('InvalidToken');
  });
});

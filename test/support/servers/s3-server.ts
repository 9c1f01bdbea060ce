/** A store that keeps the rules of S3 for the calls that a lake needs, on loopback, with faults that a test orders. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { S3Place } from '../../../src/lib/lake-place.ts';
import { findSignatureFault, type Refusal } from './s3-signature.ts';

/** What happens to a request in place of what it asks for. */
export type S3Fault =
  | {
      kind: 'answer';
      status: number;
      code?: string;
      message?: string;
      body?: string;
      headers?: Record<string, string>;
    }
  /** The connection is closed. `applied`: after the request was carried out. */
  | { kind: 'close'; isApplied: boolean }
  /** Carried out, and answered with an error. */
  | { kind: 'applied'; status: number; code: string }
  /** Never answered. `headers`: the head of an answer is sent, and then nothing. */
  | { kind: 'freeze'; isApplied: boolean; headers?: boolean }
  /** Half of the answer, then the connection is closed. */
  | { kind: 'cut' };

export interface S3ServerRequest {
  /** From 1. */
  number: number;
  method: string;
  /** The key in the bucket; empty: the bucket. */
  key: string;
  query: URLSearchParams;
  /** `*`, or an ETag. */
  ifNoneMatch: string | null;
  ifMatch: string | null;
}

export interface S3ServerOptions {
  bucket?: string;
  accessKeyId?: string;
  secretAccessKey?: string;
  sessionToken?: string | null;
  region?: string;
  /** Objects of one page of a list. */
  maxKeys?: number;
  /** False: the headers of conditional writes are ignored, as old stores do. */
  isConditional?: boolean;
  /** The clock of the server is so many milliseconds ahead. */
  aheadMs?: number;
}

interface Stored {
  body: Buffer;
  etag: string;
  modifiedAtMs: number;
}

type Running = Awaited<ReturnType<typeof startS3Server>>;
export type S3Server = Running;

/** Ends with the test. */
export async function startS3Server(options: S3ServerOptions = {}) {
  const settings = {
    ...{
      bucket: 'lake',
      accessKeyId: 'AKIAEXAMPLE',
      secretAccessKey: 'secret/of+the=key',
      sessionToken: null,
    },
    ...{ region: 'eu-central-1', maxKeys: 1000, isConditional: true, aheadMs: 0 },
    ...options,
  };
  const objects = new Map<string, Stored>();
  const requests: S3ServerRequest[] = [];
  let faults: (request: S3ServerRequest) => S3Fault | null = () => null;
  let last = 0;
  const now = () => Date.now() + settings.aheadMs;

  const server = createServer((request, response) => {
    void receive(request).then((body) => answer(request, response, body));
  });

  function answer(request: IncomingMessage, response: ServerResponse, body: Buffer | null): void {
    if (body === null) return; // it was broken off
    const asked = toRequest(request, ++last);
    requests.push(asked);
    response.setHeader('date', new Date(now()).toUTCString());
    response.setHeader('x-amz-request-id', String(asked.number));
    const fault = faults(asked);
    const refusal =
      findSignatureFault(request, body, settings, now()) ??
      (bucketOf(request) === settings.bucket ? null : NO_BUCKET);
    if (fault && isApplied(fault) && !refusal) carryOut(asked, body, null);
    if (fault) misbehave(response, fault);
    else if (refusal) refuse(response, refusal);
    else carryOut(asked, body, response);
  }

  /** `response` is null where nobody is to learn of it. */
  function carryOut(asked: S3ServerRequest, body: Buffer, response: ServerResponse | null): void {
    const stored = objects.get(asked.key);
    if (asked.method === 'GET' && asked.key === '') {
      response?.writeHead(200, { 'content-type': 'application/xml' }).end(toList(asked.query));
    } else if (asked.method === 'GET') {
      if (!stored) refuse(response, NO_KEY);
      else
        response
          ?.writeHead(200, { etag: `"${stored.etag}"`, 'content-length': stored.body.length })
          .end(stored.body);
    } else if (asked.method === 'DELETE') {
      objects.delete(asked.key);
      response?.writeHead(204).end();
    } else {
      const failed = settings.isConditional ? findUnmet(asked, stored) : null;
      if (failed) {
        refuse(response, failed);
        return;
      }
      const etag = createHash('md5').update(body).digest('hex');
      objects.set(asked.key, { body, etag, modifiedAtMs: now() });
      response?.writeHead(200, { etag: `"${etag}"` }).end();
    }
  }

  function toList(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? '';
    const token = query.get('continuation-token');
    const after = token === null ? (query.get('start-after') ?? '') : Buffer.from(token, 'base64').toString();
    const isBelow = (key: string) => query.get('delimiter') === '/' && key.slice(prefix.length).includes('/');
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(prefix) && key > after && !isBelow(key))
      .sort();
    const page = keys.slice(0, settings.maxKeys);
    const isTruncated = page.length < keys.length;
    const encode = (key: string) =>
      query.get('encoding-type') === 'url' ? encodeURIComponent(key) : escape(key);
    const contents = page.map((key) => {
      const { body, etag, modifiedAtMs } = objects.get(key) as Stored;
      const modified = new Date(modifiedAtMs).toISOString();
      return `<Contents><Key>${encode(key)}</Key><LastModified>${modified}</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${body.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
    });
    const next = isTruncated
      ? `<NextContinuationToken>${Buffer.from(page.at(-1) ?? '').toString('base64')}</NextContinuationToken>`
      : '';
    const encoding = query.has('encoding-type') ? '<EncodingType>url</EncodingType>' : '';
    return `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${settings.bucket}</Name>${encoding}<IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`;
  }

  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => {
        resolve();
      });
    });
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;

  return {
    ...{ objects, requests, endpoint, settings, close },
    /** What the store is told of; `changes`: for a wrong one. */
    place: (prefix = '', changes: Partial<S3Place> = {}): S3Place => {
      const { bucket, region, accessKeyId, secretAccessKey, sessionToken } = settings;
      return {
        ...{ kind: 's3', bucket, prefix, endpoint, region, accessKeyId, secretAccessKey, sessionToken },
        ...changes,
      };
    },
    /** Decides about each request from now on; null: nothing goes wrong. */
    order: (decide: (request: S3ServerRequest) => S3Fault | null): void => {
      faults = decide;
    },
    /** Forgets the requests, and begins to count from 1. */
    restart: (): void => {
      requests.length = 0;
      last = 0;
    },
  };
}

const NO_BUCKET: Refusal = {
  status: 404,
  code: 'NoSuchBucket',
  message: 'The specified bucket does not exist',
};
const NO_KEY: Refusal = { status: 404, code: 'NoSuchKey', message: 'The specified key does not exist.' };
const UNMET: Refusal = {
  ...{ status: 412, code: 'PreconditionFailed' },
  message: 'At least one of the pre-conditions you specified did not hold',
};

function findUnmet({ ifNoneMatch, ifMatch }: S3ServerRequest, stored: Stored | undefined): Refusal | null {
  if (ifNoneMatch === '*' && stored) return UNMET;
  if (ifMatch !== null && !stored) return NO_KEY;
  return ifMatch !== null && ifMatch !== `"${stored?.etag}"` ? UNMET : null;
}

const pathOf = ({ url = '' }: IncomingMessage): string[] =>
  new URL(url, 'http://s3.test').pathname.slice(1).split('/').map(decodeURIComponent);
const bucketOf = (request: IncomingMessage): string => pathOf(request)[0] ?? '';

const toRequest = (request: IncomingMessage, number: number): S3ServerRequest => ({
  ...{ number, method: request.method ?? '', key: pathOf(request).slice(1).join('/') },
  query: new URL(request.url ?? '', 'http://s3.test').searchParams,
  ifNoneMatch: request.headers['if-none-match'] ?? null,
  ifMatch: request.headers['if-match'] ?? null,
});

async function receive(request: IncomingMessage): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of request) pieces.push(piece as Buffer);
    return Buffer.concat(pieces);
  } catch {
    return null;
  }
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function refuse(response: ServerResponse | null, { status, code, message, more = {} }: Refusal): void {
  const elements = Object.entries({ Code: code, Message: message, ...more, RequestId: '1' }).map(
    ([name, value]) => `<${name}>${escape(value)}</${name}>`,
  );
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${elements.join('')}</Error>`;
  response?.writeHead(status, { 'content-type': 'application/xml' }).end(body);
}

function send(
  response: ServerResponse,
  fault: { status: number; code?: string; message?: string; body?: string; headers?: Record<string, string> },
): void {
  const { status, code, message = 'ordered by the test', body = '', headers = {} } = fault;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (code === undefined) response.writeHead(status).end(body);
  else refuse(response, { status, code, message });
}

const isApplied = (fault: S3Fault): boolean =>
  fault.kind === 'applied' || ('isApplied' in fault && fault.isApplied);

function misbehave(response: ServerResponse, fault: S3Fault): void {
  if (fault.kind === 'answer' || fault.kind === 'applied') send(response, fault);
  else if (fault.kind === 'cut') cut(response);
  else if (fault.kind === 'close') response.socket?.destroy();
  else if (fault.headers) response.writeHead(200, { 'content-length': 1000, etag: '"1"' }).write('<');
}

function cut(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 1000, etag: '"1"' }).write('half');
  setImmediate(() => response.socket?.destroy());
}

/** A store that keeps the rules of S3 for the calls that a lake needs, on loopback, with faults that a test orders. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AwsV4Signer } from 'aws4fetch';
import { onTestFinished } from 'vitest';
import { listenOnLoopback } from './loopback.ts';
import type { S3Place } from '../../../src/publishing/targets/stores/lake-place.ts';

/** What happens to a request in place of what it asks for. */
export type S3Fault =
  | { kind: 'answer'; status: number; code: string; message?: string }
  /** The connection is closed. `applied`: after the request was carried out. */
  | { kind: 'close'; isApplied: boolean }
  /** Carried out, and answered with an error. */
  | { kind: 'applied'; status: number; code: string }
  /** Half of the answer, then the connection is closed. */
  | { kind: 'cut' };

export interface S3ServerRequest {
  /** From 1. */
  number: number;
  method: string;
  /** The key in the bucket; empty: the bucket. */
  key: string;
  query: URLSearchParams;
  isIfAbsent: boolean;
}

export interface S3ServerOptions {
  secretAccessKey?: string;
  /** Objects of one page of a list. */
  maxKeys?: number;
  /** False: the headers of conditional writes are ignored, as old stores do. */
  isConditional?: boolean;
}

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;
type Refusal = readonly [status: number, code: string, message: string];

const [BUCKET, REGION, ACCESS_KEY] = ['lake', 'eu-central-1', 'AKIAEXAMPLE'];
const WRONG_SIGNATURE: Refusal = [403, 'SignatureDoesNotMatch', 'The signature does not match.'];
const NO_BUCKET: Refusal = [404, 'NoSuchBucket', 'The specified bucket does not exist'];
const NO_KEY: Refusal = [404, 'NoSuchKey', 'The specified key does not exist.'];
const UNMET: Refusal = [412, 'PreconditionFailed', 'A pre-condition did not hold'];

/** Ends with the test. */
export async function startS3Server(options: S3ServerOptions = {}) {
  const { secretAccessKey = 'secret/of+the=key', maxKeys = 1000, isConditional = true } = options;
  const objects = new Map<string, { body: Buffer; modifiedAtMs: number }>();
  const requests: S3ServerRequest[] = [];
  let decide: (request: S3ServerRequest) => S3Fault | null = () => null;

  const server = createServer((request, response) => {
    void receive(request).then((body) => body && answer(request, response, body));
  });

  async function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const [bucket, ...path] = splitPath(request);
    const asked: S3ServerRequest = {
      number: requests.length + 1,
      method: request.method ?? '',
      key: path.join('/'),
      query: new URL(request.url ?? '', 'http://s3.test').searchParams,
      isIfAbsent: request.headers['if-none-match'] === '*',
    };
    requests.push(asked);
    const fault = decide(asked);
    const isSigned = await isSignedBy(secretAccessKey, request, body);
    const refusal = isSigned ? (bucket === BUCKET ? null : NO_BUCKET) : WRONG_SIGNATURE;
    const isApplied = fault?.kind === 'applied' || (fault?.kind === 'close' && fault.isApplied);
    if (isApplied && !refusal) carryOut(asked, body, null);
    if (fault) misbehave(response, fault);
    else if (refusal) refuse(response, refusal);
    else carryOut(asked, body, response);
  }

  /** `response` is null where nobody is to learn of it. */
  function carryOut(
    { method, key, query, isIfAbsent }: S3ServerRequest,
    body: Buffer,
    response: ServerResponse | null,
  ) {
    const stored = objects.get(key);
    if (method === 'GET' && key === '') response?.end(toList(query));
    else if (method === 'GET' && stored) response?.end(stored.body);
    else if (method === 'GET') refuse(response, NO_KEY);
    else if (method === 'DELETE') {
      objects.delete(key);
      response?.writeHead(204).end();
    } else if (isConditional && isIfAbsent && stored) refuse(response, UNMET);
    else {
      objects.set(key, { body, modifiedAtMs: Date.now() });
      response?.end();
    }
  }

  function toList(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const isBelow = (key: string) => query.get('delimiter') === '/' && key.slice(prefix.length).includes('/');
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after && !isBelow(key));
    const page = keys.sort().slice(0, maxKeys);
    const isTruncated = page.length < keys.length;
    const encode = query.get('encoding-type') === 'url' ? encodeURIComponent : escape;
    const contents = page.map((key) => {
      const { body, modifiedAtMs = 0 } = objects.get(key) ?? { body: Buffer.alloc(0) };
      return `<Contents><Key>${encode(key)}</Key><LastModified>${new Date(modifiedAtMs).toISOString()}</LastModified><Size>${body.length}</Size></Contents>`;
    });
    const next = `<NextContinuationToken>${escape(page.at(-1) ?? '')}</NextContinuationToken>`;
    return `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${isTruncated ? next : ''}${contents.join('')}</ListBucketResult>`;
  }

  const { host, close } = await listenOnLoopback(server);
  onTestFinished(close);
  const endpoint = `http://${host}`;
  return {
    objects,
    requests,
    close,
    /** The config of the store; `changes`: for a wrong one. */
    place: (prefix = '', changes: Partial<S3Place> = {}): S3Place => ({
      kind: 's3',
      bucket: BUCKET,
      prefix,
      endpoint,
      region: REGION,
      accessKeyId: ACCESS_KEY,
      secretAccessKey,
      sessionToken: null,
      ...changes,
    }),
    /** Decides about each request from now on; null: nothing goes wrong. */
    order: (next: typeof decide): void => void (decide = next),
    /** Forgets the requests, and begins to count from 1. */
    restart: (): void => void (requests.length = 0),
  };
}

/** True where the login signs the same headers with the same result, and the body has the signed hash. */
async function isSignedBy(secretAccessKey: string, request: IncomingMessage, body: Buffer): Promise<boolean> {
  const header = (name: string) => String(request.headers[name] ?? '');
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(header('authorization')) ?? [];
  const signed = names.split(';').filter((name) => name !== 'host');
  const { headers } = await new AwsV4Signer({
    method: request.method ?? '',
    url: `http://${header('host')}${request.url}`,
    allHeaders: true,
    accessKeyId: ACCESS_KEY,
    secretAccessKey,
    region: REGION,
    service: 's3',
    datetime: header('x-amz-date'),
    headers: Object.fromEntries(signed.map((name) => [name, header(name)])),
  }).sign();
  const isHash = header('x-amz-content-sha256') === createHash('sha256').update(body).digest('hex');
  return isHash && headers.get('authorization') === header('authorization');
}

const splitPath = ({ url = '' }: IncomingMessage): string[] =>
  new URL(url, 'http://s3.test').pathname.slice(1).split('/').map(decodeURIComponent);

/** The body; null where the request was broken off. */
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

function refuse(response: ServerResponse | null, [status, code, message]: Refusal): void {
  const body = `<Error><Code>${code}</Code><Message>${escape(message)}</Message></Error>`;
  response?.writeHead(status, { 'content-type': 'application/xml' }).end(body);
}

function misbehave(response: ServerResponse, fault: S3Fault): void {
  if ('status' in fault) {
    const message = 'message' in fault ? fault.message : undefined;
    refuse(response, [fault.status, fault.code, message ?? 'ordered by the test']);
  } else if (fault.kind === 'close') response.socket?.destroy();
  else {
    response.writeHead(200, { 'content-length': 1000 }).write('half');
    setImmediate(() => response.socket?.destroy());
  }
}

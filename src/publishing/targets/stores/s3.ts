/** A lake in a bucket of an S3-compatible store. aws4fetch signs the requests, undici sends them. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { AwsClient } from 'aws4fetch';
import { request as sendRequest, type Dispatcher } from 'undici';
import { errorCode, errorMessage } from '../../../lib/errors.ts';
import { createAgent } from '../../../lib/http/agent.ts';
import { NO_PROXIES } from '../../../lib/http/proxies.ts';
import { formatLakePlace, listLakeSecrets, type S3Place } from './lake-place.ts';
import { redact } from '../../../lib/redact.ts';
import { TargetError } from '../target.ts';
import type { Body, Store, StoredFile } from './store.ts';

/** A request that moves no byte for this time is given up. While bytes move, it may take any time. */
const SILENCE_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;
const CONNECTIONS = 16;
/** A request is repeated after about 0.1, 0.2, … 3.2 s, of which up to a half is left off at random. */
const RETRIES = 6;
const FIRST_RETRY_MS = 100;
/** A body is sent in pieces of this size. Each piece that the socket took counts as progress. */
const PIECE_BYTES = 65_536;

interface Request {
  method: 'GET' | 'PUT' | 'DELETE';
  key: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Body;
}

interface Answer {
  status: number;
  body: Buffer;
  headers: Dispatcher.ResponseData['headers'];
}

/** How requests to the bucket are signed and sent. */
interface Connection {
  place: S3Place;
  signer: AwsClient;
  agent: Dispatcher;
  silenceMs: number;
  signal: AbortSignal;
}

/** A store in a bucket, which must exist. When the signal aborts, its requests end, and none is begun. */
export function openBucket(
  place: S3Place,
  options: { silenceMs?: number; retries?: number; signal?: AbortSignal | undefined } = {},
): Store {
  const { silenceMs = SILENCE_MS, retries = RETRIES, signal = new AbortController().signal } = options;
  const { accessKeyId, secretAccessKey, sessionToken, region, prefix } = place;
  const connection: Connection = {
    place,
    signer: new AwsClient({
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      ...(sessionToken !== null && { sessionToken }),
    }),
    agent: createAgent({
      connections: CONNECTIONS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      proxies: NO_PROXIES,
      ca: null,
      signal,
    }),
    silenceMs,
    signal,
  };
  const own = prefix === '' ? '' : `${prefix}/`;

  /** The answer to a request. Throws TargetError for a refusal, but for a status in `accepted`. */
  async function send(request: Request, ...accepted: number[]): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      signal.throwIfAborted();
      // `sendOnce` rejects with a TargetError only
      const answer = await sendOnce(connection, request).catch((error: unknown) => error as TargetError);
      const isAnswer = !(answer instanceof Error);
      if (isAnswer && (answer.status < 300 || accepted.includes(answer.status))) return answer;
      const isPassing = !isAnswer || PASSING.includes(answer.status);
      if (attempt === retries || !isPassing) throw isAnswer ? toRefusal(answer, place) : answer;
      await sleep(FIRST_RETRY_MS * 2 ** attempt * (0.5 + Math.random() / 2));
    }
  }

  return {
    name: formatLakePlace(place),
    get: async (key) => {
      const answer = await send({ method: 'GET', key: own + key }, 404);
      if (answer.status !== 404) return answer.body;
      if (textOf(parseRoot(answer.body, 'Error'), 'Code') === 'NoSuchBucket') throw toRefusal(answer, place);
      return null;
    },
    put: async (key, body) => {
      await send({ method: 'PUT', key: own + key, body });
    },
    putIfAbsent: async (key, body) => {
      const headers = { 'if-none-match': '*' };
      return (await send({ method: 'PUT', key: own + key, body, headers }, 412)).status !== 412;
    },
    list: async (folder) => {
      const files: StoredFile[] = [];
      for (let token: string | null = ''; token !== null;) {
        const query = {
          'list-type': '2',
          delimiter: '/',
          'encoding-type': 'url',
          prefix: own + folder,
          ...(token !== '' && { 'continuation-token': token }),
        };
        const answer = await send({ method: 'GET', key: '', query });
        const root = parseRoot(answer.body, 'ListBucketResult');
        if (root === null) throw toRefusal(answer, place);
        files.push(...listFiles(root, answer, own));
        token = textOf(root, 'NextContinuationToken');
      }
      return files;
    },
    remove: async (key) => {
      await send({ method: 'DELETE', key: own + key }, 404);
    },
  };
}

/** Sends a request. Throws TargetError if there is no answer. */
async function sendOnce(connection: Connection, request: Request): Promise<Answer> {
  const { place, signer, agent, silenceMs, signal } = connection;
  const { method, key, query = {}, headers = {}, body = [] } = request;
  const url = new URL(toBucketUrl(place));
  url.pathname += key.split('/').map(encodeURIComponent).join('/');
  url.search = new URLSearchParams(query).toString().replaceAll('+', '%20');
  const hash = createHash('sha256'); // the store refuses a body that changed on the way
  for (const piece of body) hash.update(piece);
  const signed = await signer.sign(url.href, {
    method,
    headers: { ...headers, 'x-amz-content-sha256': hash.digest('hex') },
  });
  const size = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
  try {
    const response = await sendRequest(url, {
      dispatcher: agent,
      signal,
      method,
      headers: {
        ...Object.fromEntries(signed.headers),
        ...(method === 'PUT' && { 'content-length': `${size}` }),
      },
      body: method === 'PUT' ? Readable.from(cut(body)) : null,
      headersTimeout: silenceMs, // undici begins it again with each piece of the body
      bodyTimeout: silenceMs, // and this one with each piece of the answer
    });
    const bytes = Buffer.from(await response.body.arrayBuffer());
    return { status: response.statusCode, body: bytes, headers: response.headers };
  } catch (error) {
    throw toFailure(error, url.host, connection);
  }
}

function* cut(body: Body): Generator<Uint8Array> {
  for (const piece of body)
    for (let start = 0; start < piece.byteLength; start += PIECE_BYTES)
      yield piece.subarray(start, start + PIECE_BYTES);
}

function toFailure(error: unknown, host: string, { place, silenceMs }: Connection): TargetError {
  const isSilent = /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(errorCode(error));
  const message = isSilent
    ? `${host} took and sent nothing for ${silenceMs / 1000} s`
    : `${host} cannot be reached: ${redact(errorMessage(error), listLakeSecrets(place))}`;
  return new TargetError(message, {
    code: isSilent ? 'ETIMEDOUT' : errorCode(error),
    hint: 'check `endpoint:` of the target, and the network',
    cause: error,
  });
}

/** Ends with `/`. With an endpoint, the bucket is in the path; at AWS, in the name of the host. */
function toBucketUrl({ bucket, endpoint, region }: S3Place): string {
  if (endpoint !== null) return `${endpoint.replace(/\/$/, '')}/${bucket}/`;
  return `https://${bucket}.s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`;
}

/** Statuses after which another attempt may succeed. */
const PASSING = [408, 409, 429, 500, 502, 503, 504];

/** The store's own code and message. It may repeat the login, which is redacted. */
function toRefusal({ status, body }: Answer, place: S3Place): TargetError {
  const root = parseRoot(body, 'Error');
  const code = textOf(root, 'Code');
  const reason = redact(`${code ?? ''} ${textOf(root, 'Message') ?? ''}`.trim(), listLakeSecrets(place));
  const { host } = new URL(toBucketUrl(place));
  return new TargetError(
    `${host} answered ${status}${reason === '' ? ', and not as S3 does' : `: ${reason}`}`,
    {
      code: code ?? `HTTP ${status}`,
      hint: findHint(status, code, place),
    },
  );
}

function findHint(status: number, code: string | null, place: S3Place): string {
  const correctPlace = 'correct `s3:`, `endpoint:` and `region:` of the target';
  if (code === 'NoSuchBucket') return `aws s3 mb s3://${place.bucket}; or ${correctPlace}`;
  if (code === 'AccessDenied')
    return 'allow the key s3:GetObject, s3:PutObject and s3:DeleteObject, and s3:ListBucket on the bucket';
  if (code === 'RequestTimeTooSkewed') return 'set the clock of this machine: timedatectl';
  if (status >= 500 || PASSING.includes(status))
    return 'the store itself fails or is busy: look at its log; the next load goes on from here';
  return status === 401 || status === 403 ? 'correct the keys of the target in the config' : correctPlace;
}

/** The files of a page of ListObjectsV2. */
function listFiles(root: XmlElement, { headers }: Answer, own: string): StoredFile[] {
  const now = Date.parse(String(headers['date'])) || Date.now();
  return elementsOf(root, 'Contents').map((each) => ({
    key: decodeURIComponent((textOf(each, 'Key') ?? '').replaceAll('+', ' ')).slice(own.length),
    ageMs: now - Date.parse(textOf(each, 'LastModified') ?? ''),
  }));
}

/** The root of a document; null for a body that is no XML, or another document. */
function parseRoot(body: Buffer, name: string): XmlElement | null {
  try {
    const { root } = parseXml(body.toString('utf8'));
    return root?.name === name ? root : null;
  } catch {
    return null;
  }
}

const elementsOf = (parent: XmlElement, name: string): XmlElement[] =>
  parent.children.filter((child): child is XmlElement => child instanceof XmlElement && child.name === name);

const textOf = (parent: XmlElement | null, name: string): string | null =>
  (parent && elementsOf(parent, name)[0]?.text.trim()) || null;

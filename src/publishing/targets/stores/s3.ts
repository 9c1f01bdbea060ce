/** A lake in a bucket of an S3-compatible store. aws4fetch signs the requests, and repeats those that fail on the way. */
import { createHash } from 'node:crypto';
import { parseXml, XmlElement } from '@rgrove/parse-xml';
import { AwsClient } from 'aws4fetch';
import { errorMessage } from '../../../lib/errors.ts';
import { formatLakePlace, listLakeSecrets, type S3Place } from '../../../lib/lake-place.ts';
import { redact } from '../../../lib/redact.ts';
import { StoreError, type Body, type Store, type StoredFile } from './store.ts';

/** Without any progress of an answer for so long, a request is given up. */
const DEADLINE_MS = 60_000;
/** Repeated after 0.1, 0.2, … 3.2 s, by half at random. */
const RETRIES = 6;
const FIRST_RETRY_MS = 100;

interface Request {
  method: 'GET' | 'PUT' | 'DELETE';
  key: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Body;
}

interface Answer {
  status: number;
  body: Uint8Array;
  headers: Headers;
}

/** The bucket must be there. */
export function openBucket(place: S3Place): Store {
  const { accessKeyId, secretAccessKey, sessionToken, region, prefix } = place;
  const client = new AwsClient({
    ...{ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 },
    ...(sessionToken !== null && { sessionToken }),
  });
  const own = prefix === '' ? '' : `${prefix}/`;

  /** The answer to a request. Throws StoreError for a refusal, but for a status in `accepted`. */
  async function send(request: Request, ...accepted: number[]): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const result = await sendOnce(client, place, request);
      if (!(result instanceof StoreError) && (result.status < 300 || accepted.includes(result.status)))
        return result;
      const error = result instanceof StoreError ? result : toRefusal(result, place);
      if (attempt >= RETRIES || (!(result instanceof StoreError) && !isPassing(result))) throw error;
      await new Promise((resolve) =>
        setTimeout(resolve, FIRST_RETRY_MS * 2 ** attempt * (0.5 + Math.random() / 2)),
      );
    }
  }

  return {
    name: formatLakePlace(place),
    get: async (key) => {
      const answer = await send({ method: 'GET', key: own + key }, 404);
      if (answer.status !== 404) return answer.body;
      if (parseError(answer.body).code === 'NoSuchBucket') throw toRefusal(answer, place);
      return null;
    },
    put: async (key, body) => {
      await send({ method: 'PUT', key: own + key, body });
    },
    putIfAbsent: async (key, body) => {
      const headers = { 'if-none-match': '*' };
      return (await send({ method: 'PUT', key: own + key, body, headers }, 412)).status !== 412;
    },
    list: async (folder, after) => {
      const files: StoredFile[] = [];
      for (let token: string | null = ''; token !== null;) {
        const query = {
          ...{ 'list-type': '2', delimiter: '/', 'encoding-type': 'url', prefix: own + folder },
          ...(after !== undefined && { 'start-after': own + after }),
          ...(token !== '' && { 'continuation-token': token }),
        };
        const answer = await send({ method: 'GET', key: '', query });
        const page = parseList(answer, own);
        if (page === null) throw toRefusal(answer, place);
        files.push(...page.files);
        token = page.next;
      }
      return files;
    },
    remove: async (key) => {
      await send({ method: 'DELETE', key: own + key }, 404);
    },
  };
}

/** An error is returned that another attempt may heal: of the connection, or a request without an answer. */
async function sendOnce(client: AwsClient, place: S3Place, request: Request): Promise<Answer | StoreError> {
  const { method, key, query = {}, headers = {}, body } = request;
  const url = new URL(toBucketUrl(place));
  url.pathname += key.split('/').map(encodeURIComponent).join('/');
  url.search = new URLSearchParams(query).toString().replaceAll('+', '%20');
  const hash = createHash('sha256'); // the store refuses a body that changed on the way
  for (const piece of body ?? []) hash.update(piece);
  const signed = { ...headers, 'x-amz-content-sha256': hash.digest('hex') };
  try {
    const response = await client.fetch(url.href, {
      ...{ method, headers: signed, redirect: 'manual', signal: AbortSignal.timeout(DEADLINE_MS) },
      ...(body && { body: Buffer.concat(body) }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, body: bytes, headers: response.headers };
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    const message = cause === undefined ? errorMessage(error) : errorMessage(cause);
    const code = (cause as { code?: unknown } | undefined)?.code;
    return new StoreError(`${url.host} cannot be reached: ${redact(message, listLakeSecrets(place))}`, {
      code: typeof code === 'string' ? code : 'ETIMEDOUT',
      hint: 'check `endpoint:` of the target, and the network',
      cause: error,
    });
  }
}

/** Ends with `/`. With an endpoint, the bucket is in the path; at AWS, in the name of the host. */
function toBucketUrl({ bucket, endpoint, region }: S3Place): string {
  if (endpoint !== null) return `${endpoint.replace(/\/$/, '')}/${bucket}/`;
  return `https://${bucket}.s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`;
}

const isPassing = ({ status }: Answer): boolean =>
  status === 408 || status === 409 || status === 429 || (status >= 500 && status !== 501);

const HINTS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'make the bucket, or correct `s3:` and `endpoint:` of the target',
  AccessDenied:
    'the access key needs s3:GetObject, s3:PutObject and s3:DeleteObject on the objects, and s3:ListBucket on the bucket',
  InvalidAccessKeyId: 'correct `access_key_id:` of the target',
  SignatureDoesNotMatch: 'correct `secret_access_key:` and `region:` of the target',
  ExpiredToken: 'write a new `session_token:`, then kill -HUP the worker',
  RequestTimeTooSkewed: 'set the clock of this machine',
};

/** The store's own code and message. It may repeat the login, which is taken out. */
function toRefusal({ status, body }: Answer, place: S3Place): StoreError {
  const { code, message } = parseError(body);
  const said = redact(`${code ?? ''} ${message ?? ''}`.trim(), listLakeSecrets(place));
  const host = new URL(toBucketUrl(place)).host;
  return new StoreError(`${host} answered ${status}${said === '' ? ', and not as S3 does' : `: ${said}`}`, {
    code: code ?? `HTTP ${status}`,
    hint:
      HINTS[code ?? ''] ??
      (code === null ? 'check `endpoint:` of the target: it is the address of the S3 API' : null),
  });
}

function parseError(body: Uint8Array): { code: string | null; message: string | null } {
  const root = parseRoot(body);
  if (root?.name !== 'Error') return { code: null, message: null };
  return { code: textOf(root, 'Code'), message: textOf(root, 'Message') };
}

/** A page of ListObjectsV2; null if it is none. */
function parseList(
  { body, headers }: Answer,
  own: string,
): { files: StoredFile[]; next: string | null } | null {
  const root = parseRoot(body);
  if (root?.name !== 'ListBucketResult') return null;
  const now = Date.parse(headers.get('date') ?? '') || Date.now();
  const files = elementsOf(root, 'Contents').map((each) => ({
    key: decodeURIComponent((textOf(each, 'Key') ?? '').replaceAll('+', ' ')).slice(own.length),
    bytes: Number(textOf(each, 'Size')),
    ageMs: now - Date.parse(textOf(each, 'LastModified') ?? ''),
  }));
  const next = textOf(root, 'IsTruncated') === 'true' ? textOf(root, 'NextContinuationToken') : null;
  return { files, next };
}

function parseRoot(body: Uint8Array): XmlElement | null {
  try {
    return parseXml(Buffer.from(body).toString('utf8')).root;
  } catch {
    return null; // not XML
  }
}

const elementsOf = (parent: XmlElement, name: string): XmlElement[] =>
  parent.children.filter((child): child is XmlElement => child instanceof XmlElement && child.name === name);

const textOf = (parent: XmlElement, name: string): string | null =>
  elementsOf(parent, name)[0]?.text.trim() || null;

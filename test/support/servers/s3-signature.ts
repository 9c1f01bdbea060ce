/** Checks signatures of requests by AWS Signature Version 4, as AWS describes it: written from its documentation, by no library. */
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface Login {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  /** Null: a permanent key, which has none. */
  sessionToken: string | null;
}

/** A code of S3, and what follows from it. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  /** Elements in addition. */
  more?: Record<string, string>;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
const SKEW_MS = 15 * 60_000;

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Why the request is refused; null if it is signed by the login. `now`: the clock of the server, in milliseconds since 1970. */
export function findSignatureFault(
  request: IncomingMessage,
  body: Buffer,
  login: Login,
  now: number,
): Refusal | null {
  const header = (name: string) => String(request.headers[name] ?? '');
  const found = AUTHORIZATION.exec(header('authorization'));
  if (!found) return { status: 403, code: 'AccessDenied', message: 'Access Denied' };
  const [, id = '', day = '', region = '', names = '', signature = ''] = found;
  const date = header('x-amz-date');
  if (id !== login.accessKeyId)
    return {
      ...{ status: 403, code: 'InvalidAccessKeyId', more: { AWSAccessKeyId: id } },
      message: 'The AWS Access Key Id you provided does not exist in our records.',
    };
  if (region !== login.region)
    return {
      ...{ status: 400, code: 'AuthorizationHeaderMalformed', more: { Region: login.region } },
      message: `The authorization header is malformed; the region '${region}' is wrong; expecting '${login.region}'`,
    };
  const sentAt = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'));
  if (Number.isNaN(sentAt) || !date.startsWith(day) || Math.abs(sentAt - now) > SKEW_MS)
    return {
      ...{ status: 403, code: 'RequestTimeTooSkewed', more: { ServerTime: new Date(now).toISOString() } },
      message: 'The difference between the request time and the current time is too large.',
    };
  const signed = names.split(';');
  const mustSign = ['host', 'x-amz-content-sha256', 'x-amz-date'];
  const hash = header('x-amz-content-sha256');
  const canonical = [
    ...[request.method, toCanonicalPath(request.url ?? ''), toCanonicalQuery(request.url ?? '')],
    ...signed.map((name) => `${name}:${header(name).trim().replaceAll(/ +/g, ' ')}`),
    ...['', names, hash],
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', date, `${day}/${region}/s3/aws4_request`, sha256(canonical)].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${login.secretAccessKey}`,
  );
  if (
    hmac(key, toSign).toString('hex') !== signature ||
    [...mustSign, ...Object.keys(request.headers).filter((name) => name.startsWith('x-amz-'))].some(
      (name) => !signed.includes(name),
    )
  )
    return {
      ...{ status: 403, code: 'SignatureDoesNotMatch' },
      message: 'The request signature we calculated does not match the signature you provided.',
      // AWS repeats all of it
      more: { StringToSign: toSign, SignatureProvided: signature, CanonicalRequest: canonical },
    };
  if (hash !== sha256(body))
    return { status: 400, code: 'XAmzContentSHA256Mismatch', message: 'The hash does not match.' };
  const token = header('x-amz-security-token');
  if (token === (login.sessionToken ?? '')) return null;
  return {
    status: 400,
    code: 'InvalidToken',
    message: 'The provided token is malformed or otherwise invalid.',
  };
}

const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const toCanonicalPath = (url: string): string =>
  (url.split('?')[0] ?? '')
    .split('/')
    .map((part) => encode(decodeURIComponent(part)))
    .join('/');

function toCanonicalQuery(url: string): string {
  const query = url.split('?')[1] ?? '';
  if (query === '') return '';
  return query
    .split('&')
    .map((pair) => {
      const [name = '', value = ''] = pair.split('=');
      return `${encode(decodeURIComponent(name))}=${encode(decodeURIComponent(value))}`;
    })
    .sort()
    .join('&');
}

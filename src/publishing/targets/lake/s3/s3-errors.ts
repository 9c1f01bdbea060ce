/** What an S3-compatible store answers in place of what was asked for: one sentence, what to do, and when to try again. */
import { MINUTE_MS } from '../../../../lib/clock.ts';
import { formatDuration, truncate } from '../../../../lib/format.ts';
import { formatLakePlace, listLakeSecrets } from '../../../../lib/lake-place.ts';
import { redact } from '../../../../lib/redact.ts';
import { StoreError, type S3Place } from '../store.ts';
import { toEndpoint } from './s3-address.ts';
import type { S3Answer } from './s3-messages.ts';

type Refused = Pick<S3Answer, 'status' | 'error' | 'behindMs'>;

/** Codes that another attempt may heal, whatever the status. */
const PASSING_CODES = new Set([
  ...['SlowDown', 'ServiceUnavailable', 'InternalError', 'RequestTimeout', 'RequestLimitExceeded'],
  ...['ConditionalRequestConflict', 'OperationAborted', 'IncompleteBody', 'BadDigest', 'ThrottlingException'],
  ...['XAmzContentSHA256Mismatch', 'XMinioServerNotInitialized'],
]);

/** Is the same request worth another attempt? */
export function isPassing({ status, error }: Pick<S3Answer, 'status' | 'error'>): boolean {
  if (status === 501 || status === 505) return false;
  return status >= 500 || status === 429 || status === 408 || PASSING_CODES.has(error.code ?? '');
}

/** The code of the store; of a refusal that has none, its status. */
export const toCode = ({ status, error }: Pick<S3Answer, 'status' | 'error'>): string =>
  error.code ?? (isRedirect(status) ? 'PermanentRedirect' : `HTTP ${status}`);

const isRedirect = (status: number) => status === 301 || status === 307 || status === 308;

interface Known {
  /** What the store says of it is told too, unless this says it all. */
  message?: string;
  hint: string;
  retry?: 'backoff';
}

type Describe = (place: S3Place, answer: Refused) => Known;

const RELOAD = 'then kill -HUP the worker';

const describeRegion: Describe = (place, { error: { region } }) => {
  if (region !== null && region !== place.region)
    return {
      message: `the bucket is in the region ${clean(region, place)}, not in ${place.region}`,
      hint: `write \`region: ${clean(region, place)}\` in the target`,
    };
  return {
    message: `the store does not accept the region ${place.region}, or has the bucket at another address`,
    hint: 'correct `region:` and `endpoint:` of the target',
  };
};

const describeSkew: Describe = (_place, { behindMs }) => ({
  message: `the store refuses requests because of the clock of this machine${describeOffset(behindMs)}`,
  hint: 'set the clock of this machine: `timedatectl` tells whether it is synchronized',
});

const describeOffset = (behindMs: number | null): string =>
  behindMs === null
    ? ''
    : `, which is ${formatDuration(Math.round(Math.abs(behindMs) / MINUTE_MS) * MINUTE_MS)} ${behindMs > 0 ? 'behind' : 'ahead of'} that of the store`;

const describeRights: Describe = ({ bucket, prefix }) => {
  const objects = prefix === '' ? bucket : `${bucket}/${prefix}`;
  return {
    message: 'the store does not allow it',
    hint: `the access key needs s3:GetObject, s3:PutObject and s3:DeleteObject on ${objects}/*, and s3:ListBucket on ${bucket}`,
  };
};

const describeBucket: Describe = (place) => ({
  message: `there is no bucket ${place.bucket} at ${toEndpoint(place).host}`,
  hint: 'make the bucket, or correct `s3:`, `endpoint:` and `path_style:` of the target',
});

const describeNoS3: Describe = (place, { status }) => ({
  message: `${toEndpoint(place).host} answered ${status}, but not as S3 does`,
  hint: 'correct `endpoint:` of the target: the address of the API of the store, with https where it has TLS, not that of its console; or `path_style:`',
});

const BY_CODE: Readonly<Record<string, Describe>> = {
  NoSuchBucket: describeBucket,
  InvalidBucketName: describeBucket,
  AccessDenied: describeRights,
  AllAccessDisabled: describeRights,
  RequestTimeTooSkewed: describeSkew,
  PermanentRedirect: describeRegion,
  TemporaryRedirect: describeRegion,
  AuthorizationHeaderMalformed: describeRegion,
  IllegalLocationConstraintException: describeRegion,
  InvalidRegion: describeRegion,
  InvalidAccessKeyId: () => ({
    message: 'the store does not know the access key',
    hint: `correct \`access_key_id:\` in the target, ${RELOAD}; temporary keys need \`session_token:\` too`,
  }),
  SignatureDoesNotMatch: () => ({
    message:
      'the store does not accept the signature: the secret access key is wrong, or a proxy changes requests',
    hint: `correct \`secret_access_key:\` in the target, ${RELOAD}`,
  }),
  ExpiredToken: () => ({
    message: 'the session token has expired',
    hint: `write new temporary keys into the config, ${RELOAD}`,
  }),
  InvalidToken: () => ({
    message: 'the store does not accept the session token',
    hint: `correct \`session_token:\` in the target, or leave it out for a permanent key; ${RELOAD}`,
  }),
  SlowDown: () => ({
    message: 'the store asks for fewer requests',
    hint: 'loads go on by themselves; `every:` of the target makes them rarer',
    retry: 'backoff',
  }),
  NotImplemented: () => ({
    message: 'the store does not know a header or an operation that a lake needs',
    hint: 'a newer version of the store; docs/targets.md says what a lake needs',
  }),
};

/** Codes that `BY_CODE` has under another name. */
const SAME: Readonly<Record<string, string>> = {
  ...{ TokenRefreshRequired: 'ExpiredToken', ExpiredTokenException: 'ExpiredToken' },
  ...{ InvalidTokenId: 'InvalidToken', Forbidden: 'AccessDenied', 'HTTP 403': 'AccessDenied' },
};

/** The error for an answer that is not what was asked for. */
export function toRefusal(answer: Refused, place: S3Place): StoreError {
  const code = toCode(answer);
  const { message, hint, retry } = describeAnswer(code, answer, place);
  const said = answer.error.message === null ? '' : `: ${clean(answer.error.message, place)}`;
  return new StoreError(`${formatLakePlace(place)}: ${message}${said} (${clean(code, place)})`, {
    ...{ code: clean(code, place), hint, retry: retry ?? 'hourly' },
  });
}

function describeAnswer(code: string, answer: Refused, place: S3Place): Known & { message: string } {
  const known = BY_CODE[SAME[code] ?? code]?.(place, answer);
  if (known) return { message: 'the store refuses it', ...known };
  const { status, error } = answer;
  const hint = 'loads go on by themselves; the log of the store may say more';
  if (isPassing(answer)) return { message: `the store answered ${status}`, hint, retry: 'backoff' };
  if (error.code === null) return { ...NO_TEXT, ...describeNoS3(place, answer) };
  return { message: `the store answered ${status}`, hint: 'the log of the store may say more' };
}

const NO_TEXT = { message: '' };

/** What comes from the store, for a message: one line, without what only the two of them should know. */
const clean = (text: string, place: S3Place): string =>
  truncate(
    redact(text.replaceAll(/\s+/g, ' '), listLakeSecrets(place)).replaceAll(
      /\b[0-9a-f]{64}\b/gi,
      '[signature]',
    ),
    300,
  );

/** The error for an answer of 2xx that lacks what S3 sends. */
export const toNoS3 = (place: S3Place, answer: Refused): StoreError => {
  const { message = '', hint } = describeNoS3(place, answer);
  return new StoreError(`${formatLakePlace(place)}: ${message}`, { code: 'NotS3', hint, retry: 'hourly' });
};

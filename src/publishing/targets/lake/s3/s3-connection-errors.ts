/** What it means that a store did not answer: errors of sockets, names, TLS, and deadlines. */
import { errors } from 'undici';
import { errorCode, errorLine } from '../../../../lib/errors.ts';
import { formatDuration } from '../../../../lib/format.ts';
import { formatLakePlace } from '../../../../lib/lake-place.ts';
import { StoreError, type S3Place } from '../store.ts';

interface Known {
  message: string;
  hint: string;
  /** The code of the error itself by default. */
  code?: string;
  retry?: 'hourly';
}

const NETWORK = 'check the network, and `endpoint:` of the target';

const BY_CODE: Readonly<Record<string, (host: string, place: S3Place) => Known>> = {
  ECONNREFUSED: (host) => ({
    message: `nothing listens at ${host}`,
    hint: 'start the store, or correct `endpoint:` of the target',
  }),
  ENOTFOUND: describeUnknownName,
  EAI_AGAIN: describeUnknownName,
  ECONNRESET: describeLost,
  EPIPE: describeLost,
  UND_ERR_SOCKET: describeLost,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: describeLost,
  UND_ERR_CONNECT_TIMEOUT: describeUnanswered,
  ETIMEDOUT: describeUnanswered,
  EHOSTUNREACH: (host) => ({ message: `${host} cannot be reached`, hint: NETWORK }),
  ENETUNREACH: (host) => ({ message: `${host} cannot be reached`, hint: NETWORK }),
  ERR_SSL_WRONG_VERSION_NUMBER: describeNoTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: describeNoTls,
  ERR_TLS_CERT_ALTNAME_INVALID: (host, place) => ({
    message: `the certificate of ${host} is for another host`,
    hint: place.isPathStyle ? 'correct `endpoint:` of the target' : '`path_style: true` in the target',
    retry: 'hourly',
  }),
  CERT_HAS_EXPIRED: (host) => ({
    message: `the certificate of ${host} has expired`,
    hint: 'its owner must renew it; or the clock of this machine is wrong',
    retry: 'hourly',
  }),
  CERT_NOT_YET_VALID: (host) => ({
    message: `the certificate of ${host} is not valid yet`,
    hint: 'check the clock of this machine',
    retry: 'hourly',
  }),
};

const UNTRUSTED = /^(?:CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/**
 * The error of a request that got no answer. `overMs`: it was aborted after so many milliseconds; null: it was not. It has no
 * cause: that of the library may hold the headers.
 */
export function toConnectionError(
  error: unknown,
  place: S3Place,
  url: URL,
  overMs: number | null,
): StoreError {
  const own = errorCode(error);
  const { message, hint, code = own, retry } = describe(error, own, place, url.host, overMs);
  return new StoreError(`${formatLakePlace(place)}: ${message}`, {
    ...{ code: code === '' ? null : code, hint, ...(retry && { retry }) },
  });
}

function describe(error: unknown, code: string, place: S3Place, host: string, overMs: number | null): Known {
  if (overMs !== null)
    return {
      message: `${host} did not answer within ${formatDuration(overMs)}`,
      hint: NETWORK,
      code: 'ETIMEDOUT',
    };
  const known = BY_CODE[code]?.(host, place);
  if (known) return known;
  if (UNTRUSTED.test(code))
    return {
      message: `the certificate of ${host} is not trusted (${code})`,
      hint: 'NODE_EXTRA_CA_CERTS=FILE in the environment of the worker: a PEM file with the certificate of its authority',
      retry: 'hourly',
    };
  if (/^(?:ERR_(?:SSL|TLS)_|EPROTO$)/.test(code))
    return { message: `no TLS connection to ${host} (${code})`, hint: NETWORK };
  if (error instanceof errors.HTTPParserError)
    return {
      message: `${host} does not answer as HTTP`,
      hint: 'with TLS, `endpoint:` begins with https://',
    };
  return { message: `no answer from ${host} (${code === '' ? errorLine(error) : code})`, hint: NETWORK };
}

function describeUnknownName(host: string, { isPathStyle }: S3Place): Known {
  const style = isPathStyle ? '' : '; a store without a name for each bucket needs `path_style: true`';
  return {
    message: `the name ${host} is unknown to the DNS`,
    hint: `correct \`endpoint:\` or \`region:\` of the target, or check the DNS of this machine${style}`,
  };
}

function describeLost(host: string): Known {
  return {
    message: `the connection to ${host} was lost`,
    hint: 'the next load continues from what the lake has',
    code: 'ECONNRESET',
  };
}

function describeUnanswered(host: string): Known {
  return { message: `${host} did not answer`, hint: NETWORK, code: 'ETIMEDOUT' };
}

function describeNoTls(host: string): Known {
  return {
    message: `${host} has no TLS, but \`endpoint:\` begins with https://`,
    hint: `check the port, or write \`endpoint: http://${host}\`: everything is then sent in plain text`,
    code: 'EPROTO',
    retry: 'hourly',
  };
}

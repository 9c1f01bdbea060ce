/** Connections that no retry can heal: plain HTTP where TLS was expected, and certificates that are not trusted. */
import { errorCode, errorMessage, RefusedError } from '../errors.ts';

/** The other end of a connection, for messages. */
export interface Peer {
  /** `the proxy `, or nothing for the service. */
  prefix: string;
  /** Host and port. */
  host: string;
  /** The key of the config, or the variable, that has its address. */
  setting: string;
}

const UNTRUSTED =
  /^(CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/;

const OWN_AUTHORITY =
  'for an authority of your own: `ca: FILE` in the account, a PEM file with its certificate';

/** The error where the connection failed for one of these causes; null for any other. */
export function toTlsFailure(error: unknown, { prefix, host, setting }: Peer): RefusedError | null {
  const code = errorCode(error);
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    const message = `no TLS at ${prefix}${host}: ${setting} has https, ${prefix || 'the service '}speaks plain http`;
    return new RefusedError(message, {
      fault: 'connection',
      hint: `check the port, or write http://${host} in ${setting}`,
    });
  }
  if (!UNTRUSTED.test(code)) return null;
  const message = `the certificate of ${prefix}${host} is not trusted (${errorMessage(error)})`;
  return new RefusedError(message, { fault: 'connection', hint: getHint(code, setting), cause: error });
}

function getHint(code: string, setting: string): string {
  if (code === 'CERT_HAS_EXPIRED') return 'its owner must renew it; or the clock of this machine is wrong';
  if (code === 'CERT_NOT_YET_VALID') return 'check the clock of this machine';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `it is for another host: check ${setting}`;
  return OWN_AUTHORITY;
}

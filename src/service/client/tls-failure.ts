/** Connections that no retry can heal: plain HTTP where TLS was expected, and certificates that are not trusted. */
import { errorCode, errorMessage, RefusedError } from '../../lib/errors.ts';

const UNTRUSTED =
  /^(CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/;

const HINTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the service must renew it; or the clock of this machine is wrong',
  CERT_NOT_YET_VALID: 'check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host: check base_url',
};
const OWN_AUTHORITY =
  'for an authority of your own: NODE_EXTRA_CA_CERTS=FILE in the environment, with its certificate';

/** The error where the connection failed for one of these causes; null for any other. */
export function toTlsFailure(error: unknown, { host }: URL): RefusedError | null {
  const code = errorCode(error);
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    const message = `no TLS at ${host}: base_url has https, the service speaks plain http`;
    return new RefusedError(message, {
      fault: 'connection',
      hint: `check the port, or write http://${host} in base_url`,
    });
  }
  if (!UNTRUSTED.test(code)) return null;
  const message = `the certificate of ${host} is not trusted (${errorMessage(error)})`;
  return new RefusedError(message, { fault: 'connection', hint: HINTS[code] ?? OWN_AUTHORITY, cause: error });
}

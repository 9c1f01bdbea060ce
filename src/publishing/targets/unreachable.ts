/** Failures that every account of a target meets: those after the first one need not be tried. */

/** Codes of connections and of TLS, SQLSTATE, and codes of stores: the target is not there, is none for us, or has no room. */
const UNREACHABLE = [
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPROTO)$/,
  /^(?:CERT_\w+|ERR_(?:SSL|TLS)_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/,
  /^(?:28\w{3}|3D\w{3}|53300|57P\w{2})$/,
  /^(?:NoSuchBucket|InvalidBucketName|AllAccessDisabled|NotS3|SlowDown|ServiceUnavailable|NotImplemented)$/,
  /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken\w*|TokenRefreshRequired|InvalidToken\w*)$/,
  /^(?:RequestTimeTooSkewed|AuthorizationHeaderMalformed|PermanentRedirect|TemporaryRedirect|InvalidRegion)$/,
  /^(?:EROFS|ENOTDIR|CLOSED)$/,
];

/** The same, while nothing was claimed yet: after that, an account may only need more time than others, or have less rights. */
const UNREACHABLE_AT_CONNECT = /^(?:ETIMEDOUT|AccessDenied|ENOENT|08\w{3})$/;

/** Does every other account meet the error with this code? `isClaimed`: the account had been claimed before it. */
export function isUnreachable(code: string | null, isClaimed: boolean): boolean {
  if (code === null) return false;
  return (
    UNREACHABLE.some((pattern) => pattern.test(code)) || (!isClaimed && UNREACHABLE_AT_CONNECT.test(code))
  );
}

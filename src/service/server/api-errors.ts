/** Our values of `errorCode` (docs/service.md 7 documents none), in the order in which they are checked. */
export const API_ERRORS = {
  InvalidKey: 'the key is missing or unknown',
  InvalidParameter: 'a parameter is missing or cannot be read',
  PackageNotFound: 'there is no such package',
  PackageNotReady: 'the package has not been read completely yet',
  PackageAmbiguous: 'more than one account has a package of this number',
} as const;

export type ApiErrorCode = keyof typeof API_ERRORS;

/** Why a request is rejected; the message names the requested thing. */
export interface ApiError {
  errorCode: ApiErrorCode;
  message: string;
}

/** The codes of `errorInfo` and when they come (docs/service.md 7 does not show them), in the order in which they are looked for. */
export const REFUSALS = {
  InvalidKey: 'the key is missing or unknown',
  InvalidParameter: 'a parameter is missing or cannot be read',
  PackageNotFound: 'there is no such package',
  PackageNotReady: 'the package has not been read whole yet',
  PackageAmbiguous: 'more than one account has a package of this number',
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/** Why there is no answer, in words that name what was asked for. */
export interface ApiError {
  refused: RefusalCode;
  message: string;
}

/** Which package of which account. */
/** Which package of which account. */
export interface PackageKey {
  account: string;
  packageId: number;
}

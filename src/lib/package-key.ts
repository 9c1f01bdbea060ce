/** One package of one account. */
export interface PackageKey {
  account: string;
  packageId: number;
}

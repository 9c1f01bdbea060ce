/** One package of one account. */
export interface PackageKey {
  account: string;
  packageId: number;
}

/** The key of a row of the live file. */
export const toPackageKey = (row: { account: string; package_id: number }): PackageKey => ({
  account: row.account,
  packageId: row.package_id,
});

/** Ids of videos from `low` to `high`, both included. */
export interface IdRange {
  low: number;
  high: number;
}

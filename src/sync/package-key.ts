/** One package of one account. */
export interface PackageKey {
  account: string;
  packageId: number;
}

/** A row of the live file that belongs to a package. */
export type PackageRow = { account: string; package_id: number };

/** `main/101`. */
export const keyOfPackage = ({ account, package_id: id }: PackageRow): string => `${account}/${id}`;

/** The key of a row of the live file. */
export const toPackageKey = (row: PackageRow): PackageKey => ({
  account: row.account,
  packageId: row.package_id,
});

/** Ids of videos from `low` to `high`, both included. */
export interface IdRange {
  low: number;
  high: number;
}

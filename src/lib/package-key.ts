/** One package of one account. */
export interface PackageKey {
  account: string;
  packageId: number;
}

/** Ids of videos from `low` to `high`, both included. */
export interface IdRange {
  low: number;
  high: number;
}

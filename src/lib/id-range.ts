/** Ids of videos from `low` to `high`, both included. */
export interface IdRange {
  low: number;
  high: number;
}

/** Ids of videos. */
/** Ids from `low` to `high`, both included. */
export interface IdRange {
  low: number;
  high: number;
}

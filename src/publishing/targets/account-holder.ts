/** The rows of an account in a target: its videos, their former states, and its days of storage. */
export type AccountRows = Record<'videos' | 'states' | 'days', number>;

/** Who has an account in a target. */
export interface AccountHolder {
  account: string;
  worker: string;
  /** As in Holder: another one than that of this worker is another live file. */
  instance: string;
  warehouseId: string;
  /** Of its rows; null: they were never loaded. */
  timeline: string | null;
  /** Is the lease still valid, by the clock of the target? */
  isHeld: boolean;
  /** UTC, `YYYY-MM-DD HH:MM:SS`, as the next two. */
  leaseUntil: string;
  /** The first load since the account changed hands; null: none yet, or unknown. */
  since: string | null;
  loadedAt: string | null;
}

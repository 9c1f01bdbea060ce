/** What the pipeline works with. */
import type { Calendar } from '../lib/calendar.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { ServiceClient } from '../service/client/client.ts';
import type { ServiceClock } from '../service/client/service-clock.ts';
import type { Figure } from '../lib/storage-figures.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import type { Progress } from './progress.ts';
import type { PackageKey } from '../lib/package-key.ts';

/** An account as the pipeline needs it. */
export interface SyncAccount {
  name: string;
  client: ServiceClient;
  /** The time as the service's answers tell it. */
  clock: ServiceClock;
  /** Videos a page to ask for. */
  pageSize: number;
  packages: readonly { id: number; name: string | null }[];
  /** Packages walked at a time. */
  concurrency: number;
  storage: StorageRules | null;
}

/** When days are booked and asked for (docs/architecture.md, "Storage days"). */
export interface StorageRules {
  /** First day to book, `yyyy-mm-dd`; null for the day before the first run. */
  since: string | null;
  /** Milliseconds after a day's end before it is booked. */
  settleMs: number;
  /** Booked days looked at again at each day's first run. */
  lookAgainDays: number;
  /** Separate days on which a gap is requested before it is given up. */
  giveUpDays: number;
  /** Figures that a record may lack and still be booked. */
  optional: readonly Figure[];
  /** A total that differs from the last live reading of its day by more than this factor waits for a second reading. */
  plausibleFactor: number;
}

/** When a walk may not remove at once, and how long it may be gone on from. */
export interface WalkRules {
  /** Share of a package above which removals are held back, 0 to 1. */
  removalBrake: number;
  resumeWithinMs: number;
  /** Boundary reads of a walk, as a share of its pages; 0: none are made. */
  boundaryReads: number;
  /** Milliseconds from one full run to the next: a held-back removal must be proved again at least this much later. */
  scheduleMs: number;
}

/** Everything a run depends on. */
export interface SyncContext {
  warehouse: Warehouse;
  clock: Clock;
  calendar: Calendar;
  logger: Logger;
  progress: Progress;
  walk: WalkRules;
  /** What to type to take a page of the package that looks like one of another package. */
  acceptPageCommand(key: PackageKey): string;
}

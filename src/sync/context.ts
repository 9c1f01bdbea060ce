/** What a sync depends on, and the options of a run. */
import type { Calendar } from '../lib/calendar.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { ServiceClient } from '../service/client/client.ts';
import type { ClockCheck } from '../service/client/clock-check.ts';
import type { Figure } from '../service/service-fields.ts';
import type { WalkRow } from '../warehouse/statements/walk.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import type { PackageKey } from './package-key.ts';
import type { Mode, Trigger } from '../database/schema/values.ts';
import type { PackageSelector } from './package-selector.ts';
import type { DayRange } from '../lib/days.ts';
import type { AccountStream, StreamName } from './streams.ts';

export interface SyncAccount {
  name: string;
  client: ServiceClient;
  /** Compares the machine's clock with the `Date` headers of the service's responses. */
  clockCheck: ClockCheck;
  /** Videos per page to request. */
  pageSize: number;
  packages: readonly { id: number; name: string | null }[];
  /** Packages walked at the same time. */
  concurrency: number;
  /** What the service has once for the account, by the config. */
  streams: readonly AccountStream[];
  storage: StorageRules | null;
}

/** When days are requested and booked (docs/contributing/architecture.md, "Storage days"). */
export interface StorageRules {
  /** First day to book, `yyyy-mm-dd`; null for the day before the first run. */
  since: string | null;
  /** Milliseconds after a day's end before it is booked. */
  settleMs: number;
  /** Booked days that the first run of each day requests again, to compare them. */
  recheckDays: number;
  /** A gap is given up after it was requested on this many different days. */
  giveUpDays: number;
  /** Figures that a booked record may lack. */
  optional: readonly Figure[];
  /**
   * A figure of a past day that is further from its last live reading than this factor needs a second one.
   */
  plausibleFactor: number;
}

export interface WalkRules {
  /** Share of a package (0 to 1) above which removals are held back. */
  removalBrake: number;
  /** Maximum age of a walk that may be resumed. */
  resumeWithinMs: number;
  /** Boundary reads of a walk, as a share of its pages; 0 for none. */
  boundaryReads: number;
  /**
   * Milliseconds between full walks of the package: a held-back removal must be proved again at least this
   * much later.
   */
  getScheduleMs(key: PackageKey): number;
}

export interface SyncContext {
  warehouse: Warehouse;
  clock: Clock;
  calendar: Calendar;
  logger: Logger;
  progress: Progress;
  walk: WalkRules;
  /** The command that accepts that the package was filled with other videos. */
  acceptPageCommand(key: PackageKey): string;
}

export interface RunOptions {
  trigger: Trigger;
  mode: Mode;
  accounts: readonly SyncAccount[];
  /** Only these packages; null for all. */
  packages: readonly PackageSelector[] | null;
  /**
   * Which of these packages take part; left out: all. A run in which some do not still counts as one over
   * everything.
   */
  takesPart?: ((key: PackageKey) => boolean) | undefined;
  /** Only streams of these kinds. */
  streams: readonly StreamName[];
  /** Only these storage days; null for those that are due. */
  storageDays: DayRange | null;
  /**
   * Apply removals that this walk or an earlier one held back; true for all that are held back now, and for
   * pages of the named packages that look like pages of another package.
   */
  acceptRemovals: boolean | number;
  retention: { requestsDays: number; runsDays: number };
  /**
   * Start time of the original run that this run resumes; packages that were served since are skipped. Null
   * for a run that resumes none.
   */
  resumesFrom: string | null;
  /** Called between turns: why the run must stop early, or null. */
  stopReason?: (() => Error | null) | undefined;
  /** Stops the run after the page in flight; its reason is an InterruptedError. */
  signal: AbortSignal;
}

/** Events of a run under way; each function may be left out. */
export interface Progress {
  /** `pages`: the expected size of the list in pages. */
  walkStarted?(walk: PackageKey & { pages: number }): void;
  /** One page was stored; `page` counts down to 1. */
  pageStored?(page: PackageKey & { page: number; records: number }): void;
  /** A request was sent. */
  requestSent?(): void;
  /** This number of packages was added to those that the run is to walk. */
  packagesQueued?(packages: number): void;
  /** A package had its turn; `walk` is null if a quick walk found nothing, or if the package was skipped. */
  packageDone?(key: PackageKey, walk: WalkRow | null): void;
}

export const silentProgress: Progress = {};

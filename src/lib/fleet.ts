/** The accounts of a target, of all workers, and what of them needs a person. */
import { HOUR_MS } from './clock.ts';
import { formatAgo, pluralize } from './format.ts';

/** One account in a target. Times are UTC, `YYYY-MM-DD HH:MM:SS`, by the clock of the target. */
export interface FleetAccount {
  account: string;
  /** Who has it, or had it last. */
  worker: string;
  /** Null where the user may only read `vodhouse_freshness`; so are `version`, `lastLoad` and `lastRows`. */
  warehouseId: string | null;
  version: string | null;
  isHeld: boolean;
  leaseUntil: string | null;
  renewedAt: string | null;
  /** The publication that the target has: how fresh the rows are. Null before the first load. */
  publishedAt: string | null;
  publishedSecondsAgo: number | null;
  loadedAt: string | null;
  verifiedAt: string | null;
  /** `ok`; `unverified`: its rows differ from the warehouse; `rebuild`: taken from another warehouse, and not loaded since. */
  status: string;
  changeSeq: number | null;
  lastLoad: string | null;
  lastRows: number | null;
}

/** A worker publishes at least once a day, and loads what it published, at the latest, `every` of the target later. */
const STALE_MS = 26 * HOUR_MS;

export const FLEET_PROBLEMS = ['unverified', 'rebuild', 'never_loaded', 'stale', 'free'] as const;
export type FleetProblem = (typeof FLEET_PROBLEMS)[number];

export interface FleetEntry extends FleetAccount {
  /** What needs a person, the worst first; empty: nothing. */
  problems: readonly FleetProblem[];
}

export interface FleetHabits {
  /** Workers run `vodhouse sync` by cron, so that leases end in between. */
  isCron: boolean;
  /** Least time between two loads, in milliseconds. */
  everyMs: number;
}

export function assessFleet(accounts: readonly FleetAccount[], habits: FleetHabits): FleetEntry[] {
  return accounts.map((each) => ({ ...each, problems: findProblems(each, habits) }));
}

function findProblems(
  { status, publishedSecondsAgo: age, isHeld }: FleetAccount,
  { isCron, everyMs }: FleetHabits,
): FleetProblem[] {
  const found: Record<FleetProblem, boolean> = {
    unverified: status === 'unverified',
    rebuild: status !== 'ok' && status !== 'unverified',
    never_loaded: age === null,
    stale: age !== null && age * 1000 > STALE_MS + everyMs,
    free: !isHeld && !isCron,
  };
  return FLEET_PROBLEMS.filter((problem) => found[problem]);
}

const TEXTS: Readonly<Record<FleetProblem, (entry: FleetAccount) => string>> = {
  unverified: () => 'its rows differ from the warehouse: loaded completely by the next load',
  rebuild: () => 'taken from another warehouse, and not loaded since',
  never_loaded: () => 'claimed, and never loaded',
  stale: ({ publishedSecondsAgo }) =>
    `the newest publication is from ${formatAgo((publishedSecondsAgo ?? 0) * 1000)}`,
  free: ({ leaseUntil }) =>
    `no worker has it since ${leaseUntil ?? 'an unknown time'} UTC: stopped, killed or cut off`,
};

export const describeFleetProblem = (problem: FleetProblem, entry: FleetAccount): string =>
  TEXTS[problem](entry);

/** One sentence: how many workers and accounts, and how many need a person. */
export function summarizeFleet(entries: readonly FleetEntry[]): string {
  if (entries.length === 0) return 'No worker has loaded an account yet';
  const workers = new Set(entries.map(({ worker }) => worker)).size;
  const size = `${pluralize(entries.length, 'account')} of ${pluralize(workers, 'worker')}`;
  const bad = entries.filter(({ problems }) => problems.length > 0).length;
  return bad === 0 ? `All in order: ${size}` : `${bad} of ${size} ${bad === 1 ? 'needs' : 'need'} attention`;
}

/** The entries by worker, sorted by its name. */
export function groupByWorker(entries: readonly FleetEntry[]): [worker: string, entries: FleetEntry[]][] {
  const groups = new Map<string, FleetEntry[]>();
  for (const entry of entries) groups.set(entry.worker, [...(groups.get(entry.worker) ?? []), entry]);
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** What one target says of all its workers, or why it says nothing. */
export interface TargetFleet {
  target: string;
  /** Null where the target could not be read. */
  entries: readonly FleetEntry[] | null;
  error: string | null;
  hint: string | null;
  /** When it was asked, in milliseconds since 1970. */
  readAtMs: number;
}

/** What the options of `sync` request. Every problem is a ConfigError. */
import type { Config } from '../config/config.ts';
import type { RunRequest } from '../app/pipeline.ts';
import { createCalendar, daysBetween } from '../lib/calendar.ts';
import { addDays, type DayRange } from '../lib/days.ts';
import { ConfigError } from '../lib/errors.ts';
import { formatCount } from '../lib/format.ts';
import { formatSelector, createMatcher, type PackageSelector } from '../sync/package-selector.ts';
import type { JsonOptions } from './command-context.ts';

export interface SyncOptions extends JsonOptions {
  quick?: true;
  /** A line for each package, also for those in which nothing changed. */
  verbose?: true;
  package?: PackageSelector[];
  videos?: true;
  storage?: true;
  /** With `storage`: only these days, `yyyy-mm-dd`. */
  from?: string;
  to?: string;
  /** True: all that are held back; a number: those held back by that walk or an earlier one. */
  acceptRemovals?: true | number;
  /** Retire any number of packages that left the config. */
  acceptRetirements?: true;
  wait?: true;
}

/** `now`: milliseconds since 1970. */
export function createRunRequest(
  options: SyncOptions,
  config: Pick<Config, 'accounts' | 'timezone'>,
  now: number,
) {
  assertFullWalk(options);
  const packages = options.package ?? null;
  if (packages) assertConfigured(packages, config.accounts);
  const isVideos = options.videos === true || packages !== null;
  const isStorage = options.storage === true;
  return {
    mode: options.quick ? 'quick' : 'full',
    packages,
    videos: isVideos || !isStorage,
    storage: isStorage || !isVideos,
    storageDays: getStorageDays(options, createCalendar(config.timezone).dayAt(now)),
    acceptRemovals: options.acceptRemovals ?? false,
    acceptRetirements: options.acceptRetirements ?? false,
  } satisfies Partial<RunRequest>;
}

/** True for a run over everything. */
export function isUnscoped(request: ReturnType<typeof createRunRequest>): boolean {
  const { packages, storageDays, videos, storage } = request;
  return packages === null && storageDays === null && videos && storage;
}

function reject(message: string, hint: string): never {
  throw new ConfigError(message, { hint });
}

function assertFullWalk({ quick, acceptRemovals }: SyncOptions): void {
  if (quick && acceptRemovals !== undefined)
    reject('--accept-removals needs a full walk: a quick one does not confirm removals', 'leave out --quick');
}

/** Ten years. */
const MAX_DAYS = 3_660;
/** How many packages of the config an error names. */
const MAX_EXAMPLES = 20;

/** The days of --from and --to; null without them. `today` is that of the service's calendar. */
function getStorageDays({ storage, from, to }: SyncOptions, today: string): DayRange | null {
  if (from === undefined && to === undefined) return null;
  if (!storage) reject('--from and --to name days of the storage', 'add --storage');
  if (from === undefined) reject('--to needs --from', 'add the first day: --from yyyy-mm-dd');
  const last = to ?? addDays(today, -1);
  if (last > today) reject(`${last} is in the future: today is ${today}`, 'leave out --to for yesterday');
  if (from > last) reject(`--from ${from} is later than --to ${last}`, 'swap them');
  const days = daysBetween(from, last) + 1;
  if (days > MAX_DAYS) {
    const hint = `request at most ${formatCount(MAX_DAYS)} days at a time; every 31 days cost one request`;
    reject(`--from ${from} --to ${last} are ${formatCount(days)} days`, hint);
  }
  return { from, to: last };
}

function assertConfigured(selectors: readonly PackageSelector[], accounts: Config['accounts']): void {
  const known = accounts.flatMap(({ name, packages }) =>
    packages.map(({ id }) => ({ account: name, packageId: id })),
  );
  const unknown = selectors.filter((selector) => !known.some(createMatcher([selector])));
  if (unknown.length === 0) return;
  const same = known.filter(({ packageId }) => unknown.some((selector) => selector.packageId === packageId));
  const examples = (same.length > 0 ? same : known).slice(0, MAX_EXAMPLES).map(formatSelector);
  const names = unknown.map(formatSelector).join(', ');
  reject(`no account has the package ${names}`, `the config has ${examples.join(', ')}`);
}

import type { Config } from '../../config/config.ts';
import { createCalendar, daysBetween } from '../../lib/calendar.ts';
import { addDays, type DayRange } from '../../lib/days.ts';
import { ConfigError } from '../../lib/errors.ts';
import { openNotifier } from '../../alerts/open-notifier.ts';
import { createStaleCheck } from '../../health/freshness.ts';
import { formatCount } from '../../lib/format.ts';
import { formatSelector, matchesAny, type PackageSelector } from '../../sync/package-selector.ts';
import type { RunSummary } from '../../sync/run.ts';
import { EXIT } from '../exit.ts';
import { exitOfSync, publishAfterRun, publishedLines, type Published } from './publish.ts';
import { readHeldBack } from '../output/held-back-summary.ts';
import {
  openCommandContext,
  readConfig,
  type ConfigOptions,
  type CommandContext,
} from '../command-context.ts';
import { abortOnSignal } from '../signals.ts';
import { summaryJson, summaryText } from '../output/run-summary.ts';
import { acceptRemovalsCommands, packageNames, commandsFor } from '../../health/commands.ts';
import type { PackageNames } from '../output/format-walks.ts';
import type { PackageKey } from '../../lib/package-key.ts';
import { openPipeline } from '../../app/pipeline.ts';

export interface SyncOptions extends ConfigOptions {
  quick?: true;
  package?: PackageSelector[];
  videos?: true;
  storage?: true;
  /** With `storage`: only these days, `yyyy-mm-dd`. */
  from?: string;
  to?: string;
  /** True: all that is held back; a number: what that walk or an earlier one held back. */
  acceptRemovals?: true | number;
  /** Take pages that look like those of another package. */
  acceptPage?: true;
  wait?: true;
  json?: true;
}

/** `vodhouse sync`: one run now. Gives the exit code. */
export async function sync(options: SyncOptions): Promise<number> {
  const config = readConfig(options);
  assertNotQuickWithRemovals(options);
  refusePageOfAny(options);
  const packages = options.package ?? null;
  refuseUnknown(config, packages);
  const storageDays = namedDays(options, createCalendar(config.timezone).dayAt(Date.now()));
  const session = openCommandContext('sync', options, config.secrets);
  const stop = abortOnSignal();
  try {
    const pipeline = openPipeline(config, session);
    try {
      const wish = {
        trigger: 'manual' as const,
        signal: stop.signal,
        packages,
        storageDays,
        ...parts(options),
      };
      const acceptRemovals = options.acceptRemovals ?? false;
      const mode = options.quick ? 'quick' : 'full';
      const accepted = { acceptRemovals, acceptPage: options.acceptPage ?? false };
      const summary = await pipeline.run({ ...wish, mode, ...accepted }, { wait: options.wait ?? false });
      const published = await publishAfterRun(pipeline, session, stop.signal, summary.clock);
      session.close();
      process.stdout.write(
        options.json ? summaryJson(summary, published) : inWords(config, options, summary, published),
      );
      await sendAlertsAfterRun(config, session, stop.signal, { summary, published, isWhole: isWhole(wish) });
      return exitOfSync(summary.status, published);
    } finally {
      await pipeline.close();
    }
  } finally {
    session.close();
  }
}

function inWords(config: Config, options: SyncOptions, summary: RunSummary, published: Published): string {
  const { config: named, acceptRemovals = false } = options;
  const commandFor = acceptRemovalsCommands(commandsFor(named), config.accounts);
  const leftBack = readHeldBack(config.warehouse, summary.walks, acceptRemovals, commandFor);
  const lines = publishedLines(published);
  return summaryText(summary, { names: namesOf(config), leftBack, columns: process.stdout.columns }) + lines;
}

/** The longest that a run waits for who is told of it; what is left waits in the warehouse for whoever comes next. */
const TELL_WITHIN_MS = 10_000;

/** Tells people how things stand, once. A run that was interrupted leaves that to the next one. */
async function sendAlertsAfterRun(
  config: Config,
  { clock, logger }: CommandContext,
  signal: AbortSignal,
  { summary, published, isWhole }: { summary: RunSummary; published: Published; isWhole: boolean },
): Promise<void> {
  if (signal.aborted) return;
  const isStale = createStaleCheck(config.schedule);
  const since = isWhole && summary.mode === 'full' ? 'always' : 'now';
  const notifier = openNotifier(config, { clock, logger, isStale, since });
  notifier?.ended(isWhole && exitOfSync(summary.status, published) === EXIT.done);
  notifier?.inStep();
  await notifier?.close(TELL_WITHIN_MS, signal);
}

/** Days that may be named at a time: ten years. */
const MOST_DAYS = 3_660;

/** The days that are named, or null where none are; `today` is that of the service's calendar. Throws ConfigError. */
function namedDays({ storage, from, to }: SyncOptions, today: string): DayRange | null {
  if (from === undefined && to === undefined) return null;
  if (!storage) throw new ConfigError('--from and --to name days of the storage', { hint: 'add --storage' });
  if (from === undefined) {
    throw new ConfigError('--to needs --from', { hint: 'name the first day too: --from yyyy-mm-dd' });
  }
  const last = to ?? addDays(today, -1);
  if (last > today) {
    throw new ConfigError(`${last} is in the future: today is ${today}`, {
      hint: 'leave out --to for yesterday',
    });
  }
  const days = daysBetween(from, last) + 1;
  if (days > MOST_DAYS) {
    throw new ConfigError(`--from ${from} --to ${last} are ${formatCount(days)} days`, {
      hint: `name at most ${formatCount(MOST_DAYS)} days at a time; each 31 of them cost a request`,
    });
  }
  if (from > last) throw new ConfigError(`--from ${from} is later than --to ${last}`, { hint: 'swap them' });
  return { from, to: last };
}

function isWhole(wish: {
  packages: readonly PackageSelector[] | null;
  storageDays: DayRange | null;
  videos: boolean;
  storage: boolean;
}): boolean {
  return wish.packages === null && wish.storageDays === null && wish.videos && wish.storage;
}

/** Both streams, unless one is named; packages are videos. */
function parts(options: SyncOptions): { videos: boolean; storage: boolean } {
  const videos = options.videos === true || options.package !== undefined;
  const storage = options.storage === true;
  return videos || storage ? { videos, storage } : { videos: true, storage: true };
}

/** A quick walk leaves what is held back alone: it asks for it no more. */
function assertNotQuickWithRemovals({ quick, acceptRemovals }: SyncOptions): void {
  if (!quick || acceptRemovals === undefined) return;
  throw new ConfigError('--accept-removals goes with a full walk: a quick one does not prove them again', {
    hint: 'leave out --quick',
  });
}

/** What a person says of one package is not true of all of them; and a quick walk would not read all that is new. */
function refusePageOfAny({ quick, package: packages, acceptPage }: SyncOptions): void {
  if (!acceptPage) return;
  if (!packages) {
    throw new ConfigError('--accept-page wants the packages named that were filled with other videos', {
      hint: 'add --package ID',
    });
  }
  if (quick) {
    throw new ConfigError('--accept-page goes with a full walk: a quick one does not read every page', {
      hint: 'leave out --quick',
    });
  }
}

function refuseUnknown({ accounts }: Config, asked: readonly PackageSelector[] | null): void {
  const known = accounts.flatMap(({ name, packages }) =>
    packages.map(({ id }) => ({ account: name, packageId: id })),
  );
  const unknown = (asked ?? []).filter((each) => !known.some((key) => matchesAny(key, [each])));
  if (unknown.length === 0) return;
  const elsewhere = unknown.flatMap(({ packageId }) => {
    const names = known.filter((key) => key.packageId === packageId).map(({ account }) => account);
    return names.length === 0 ? [] : [`package ${packageId} is in ${names.join(', ')}`];
  });
  const isElsewhere = elsewhere.length === unknown.length;
  const hints = isElsewhere ? elsewhere : [...elsewhere, `the config has ${firstOf(known, accounts)}`];
  throw new ConfigError(`no account has the package ${unknown.map(formatSelector).join(', ')}`, {
    hint: [...new Set(hints)].join('; '),
  });
}

/** Some of the packages that there are, as they may be asked for. */
function firstOf(known: readonly PackageKey[], accounts: Config['accounts']): string {
  const nameOf = packageNames(accounts);
  return known
    .slice(0, 20)
    .map(({ account, packageId }) => nameOf({ account, package_id: packageId }))
    .join(', ');
}

/** Looks up the names that the config gives to packages. */
export function namesOf(config: Pick<Config, 'accounts'>): PackageNames {
  return (account, packageId) => {
    const found = config.accounts.find(({ name }) => name === account);
    return found?.packages.find(({ id }) => id === packageId)?.name ?? null;
  };
}

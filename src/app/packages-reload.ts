/** Before each run the worker reads its CSV files of packages again. */
import { rereadPackages } from '../config/load.ts';
import type { Config } from '../config/config.ts';
import type { Lock, PackagesRefusal } from '../database/lock.ts';
import { commandsFor, type FormatCommand } from '../health/commands.ts';
import { toTimestamp, type Clock } from '../lib/clock.ts';
import { ConfigError, withHint } from '../lib/errors.ts';
import { pluralize } from '../lib/format.ts';
import type { Logger } from '../lib/logger.ts';
import type { Pipeline } from './pipeline.ts';
import { noteForOthers } from './worker-notes.ts';

interface PackagesReloadParts {
  config: Config;
  pipeline: Pick<Pipeline, 'assertMayServe'>;
  lock: Lock;
  clock: Clock;
  logger: Logger;
  formatCommand?: FormatCommand | undefined;
  /** Stops the reading. */
  signal: AbortSignal;
}

/**
 * The returned function reads the files, and resolves with the config that has their packages; null where nothing changed, or
 * where too many packages left. A file that cannot be used, and a change that is refused, leave the packages as they are: that
 * is logged once, and noted in the lock of the worker, where `status`, the page and alerts find it.
 */
export function createPackagesReload(parts: PackagesReloadParts): () => Promise<Config | null> {
  const { config, pipeline, clock, logger, formatCommand = commandsFor(config.file) } = parts;
  let problems: string | null = null; // of the last reading
  let noted: string | null | undefined; // undefined: not known
  const note = (refusal: Omit<PackagesRefusal, 'at'> | null, hint: string) => {
    const error = refusal?.error ?? null;
    if (error === noted) return;
    noted = error;
    noteForOthers(parts, { packages: refusal && { ...refusal, at: toTimestamp(clock.now()) } });
    if (error === null) return;
    const text = `the packages stay as they were: ${error}`;
    logger.error({ event: 'packages_refused', error, hint }, withHint(text, hint));
  };
  return async () => {
    if (config.accounts.every(({ packagesFile }) => packagesFile === null)) return null;
    const reading = await readSettledPackages(config, problems, parts);
    problems = reading.problems;
    const next = reading.config === config ? null : reading.config;
    try {
      if (next) pipeline.assertMayServe(next);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      note({ what: 'leaving', error: toFirstLine(error.message) }, error.hint ?? '');
      return null;
    }
    const hint = `correct the file, it is read again at each run; to test it: ${formatCommand('check')}`;
    note(problems === null ? null : { what: 'file', error: problems }, hint);
    if (next) logChanges(config, next, logger);
    return next;
  };
}

/** The packages that left are in the lines below. */
function toFirstLine(text: string): string {
  return text.split('\n')[0]?.replace(/; nothing was sent or changed$/, '') ?? '';
}

function logChanges(before: Config, after: Config, logger: Logger): void {
  for (const [index, { name: account, packages }] of after.accounts.entries()) {
    const old = new Set(before.accounts[index]?.packages.map(({ id }) => id));
    const added = packages.filter(({ id }) => !old.has(id)).length;
    const left = old.size + added - packages.length;
    if (packages === before.accounts[index]?.packages) continue;
    logger.info(
      { event: 'packages_changed', account, packages: packages.length, added, left },
      `account ${account} has ${pluralize(packages.length, 'package')} now: ${added} added, ${left} left`,
    );
  }
}

/** A file that is being written is read again after this time, until it stays the same. */
const SETTLE_MS = 1_000;
const MAX_READS = 10;

/**
 * Reads the files until two readings agree: one may be half-written. `before`: what the last reading found. Resolves with the
 * config as it is with them, the same one where nothing changed, and with the problems of files that cannot be used, if any.
 */
async function readSettledPackages(
  config: Config,
  before: string | null,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<{ config: Config; problems: string | null }> {
  let last = read(config);
  if (last.config === config && last.problems === before) return last;
  for (let reads = 1; reads < MAX_READS; reads++) {
    await clock.sleep(SETTLE_MS, signal);
    const next = read(config);
    if (isSame(last, next)) return next;
    last = next;
  }
  return last;
}

type Reading = Awaited<ReturnType<typeof readSettledPackages>>;

function read(config: Config): Reading {
  const { config: reread, unusable } = rereadPackages(config);
  const problems = unusable.map(({ account, problem }) => `account ${account}: ${problem}`);
  return { config: reread, problems: problems.length === 0 ? null : problems.join('; ') };
}

function isSame(one: Reading, other: Reading): boolean {
  const packagesOf = ({ config }: Reading) => JSON.stringify(config.accounts.map(({ packages }) => packages));
  return one.problems === other.problems && packagesOf(one) === packagesOf(other);
}

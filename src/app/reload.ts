/** A running worker takes a changed config at SIGHUP, and its CSV files of packages before each run. */
import type { Config } from '../config/config.ts';
import { rereadPackages } from '../config/load.ts';
import type { Lock, PackagesRefusal } from '../database/lock.ts';
import { commandsFor, type FormatCommand } from '../lib/shell-command.ts';
import { toTimestamp, type Clock } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { ConfigError, errorLine, hintLine, withHint } from '../lib/errors.ts';
import { pluralize } from '../lib/format.ts';
import type { Logger } from '../lib/logger.ts';
import { openPublisher } from '../publishing/publisher.ts';
import { assertCanListen } from '../web/listen-check.ts';
import type { Pipeline } from './pipeline.ts';
import { noteForOthers } from './worker-notes.ts';

/** Requests to load the config of a running worker again. */
export interface Reloads {
  /** Reads and checks the config file. Throws ConfigError. */
  load: () => Config;
  /** Calls `onRequest` at each request, also one before this call. Returns a function that ends it. */
  listen: (onRequest: () => void) => () => void;
}

/** A worker that cannot reload. */
export const NO_RELOADS: Reloads = {
  load: () => {
    throw new RangeError('this worker has no config file');
  },
  listen: () => () => undefined,
};

interface ReloadParts {
  config: Config;
  pipeline: Pick<Pipeline, 'assertMayServe' | 'listLeaving'>;
  reloads: Reloads;
  lock: Lock;
  clock: Clock;
  logger: Logger;
  formatCommand?: FormatCommand | undefined;
  /** Left out: no other process is notified. */
  events?: { onReloading?: () => void; onRefused?: (config: Config) => void };
}

/**
 * Waits for a config that may replace the one in service. One that is refused changes nothing: that is
 * logged, and noted in the lock of the worker, where `status` finds it. `replaced` aborts when `next` gives
 * the new one.
 */
export function awaitReload(parts: ReloadParts) {
  const replacing = new AbortController();
  let next: Config | null = null;
  const replace = (config: Config) => {
    next = config;
    replacing.abort();
  };
  const readPackages = createPackagesReader(parts);
  const { request, close } = coalesce(() => reload(parts, replace));
  const stopListening = parts.reloads.listen(() => void request());
  return {
    replaced: replacing.signal,
    next: () => next,
    /** Before a run: takes the packages that CSV files have now. */
    rereadPackages: () => {
      const reread = readPackages();
      if (reread && !next) replace(reread);
    },
    close: () => {
      stopListening();
      return close();
    },
  };
}

async function reload(parts: ReloadParts, replace: (config: Config) => void): Promise<void> {
  const { pipeline, clock, logger, events } = parts;
  events?.onReloading?.();
  try {
    const next = await loadReplacement(parts);
    noteForOthers(parts, { refused: null, packages: null });
    const message = 'the changed config is valid; it takes effect between two packages';
    logger.info({ event: 'config_accepted' }, message);
    for (const reason of pipeline.listLeaving(next))
      logger.warn({ event: 'package_leaves', reason }, `${reason}; the next run retires it, its rows stay`);
    replace(next);
  } catch (thrown) {
    const [error, hint] = [errorLine(thrown), hintLine(thrown)];
    noteForOthers(parts, { refused: { at: toTimestamp(clock.now()), error } });
    const text = `the config was not reloaded, the worker continues with the one it has: ${error}`;
    logger.error({ event: 'config_refused', error, hint }, withHint(text, hint));
    events?.onRefused?.(parts.config);
  }
}

/** Throws ConfigError where the config cannot be served, or only by another worker. */
async function loadReplacement({ config, pipeline, reloads }: ReloadParts): Promise<Config> {
  const next = reloads.load();
  if (next.warehouse !== config.warehouse)
    throw new ConfigError(`warehouse is ${next.warehouse}, but this worker serves ${config.warehouse}`, {
      hint: 'stop the worker, and start it again',
    });
  openPublisher(next, 'start'); // throws for columns that cannot be left out
  pipeline.assertMayServe(next);
  if (next.server) await assertCanListen(next.server, config.server);
  return next;
}

/**
 * The returned function gives the config that has the packages of its CSV files; null where nothing changed.
 * A file that cannot be used, and a change that is refused, leave the packages as they are: that is logged
 * and noted once.
 */
function createPackagesReader(parts: ReloadParts): () => Config | null {
  const { config, pipeline, clock, logger, formatCommand = commandsFor(config.file) } = parts;
  let noted: string | null | undefined; // undefined before the first note, null for no refusal
  const note = (refusal: Omit<PackagesRefusal, 'at'> | null, hint = '') => {
    const error = refusal?.error ?? null;
    if (error === noted) return;
    noted = error;
    noteForOthers(parts, { packages: refusal && { ...refusal, at: toTimestamp(clock.now()) } });
    if (error === null) return;
    const text = `the packages stay as they were: ${error}`;
    logger.error({ event: 'packages_refused', error, hint }, withHint(text, hint));
  };
  return () => {
    if (config.accounts.every(({ packagesFile }) => packagesFile === null)) return null;
    const { config: next, unusable } = rereadPackages(config);
    try {
      if (next !== config) pipeline.assertMayServe(next);
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) throw thrown;
      const [line = ''] = thrown.message.split('\n'); // the packages that left are in the lines below
      note({ what: 'leaving', error: line.replace(/; nothing was sent or changed$/, '') }, thrown.hint);
      return null;
    }
    const error = unusable.map(({ account, problem }) => `account ${account}: ${problem}`).join('; ');
    const hint = `correct the file, it is read again at each run; to test it: ${formatCommand('check')}`;
    note(error === '' ? null : { what: 'file', error }, hint);
    if (next === config) return null;
    logChanges(config, next, logger);
    return next;
  };
}

function logChanges(before: Config, after: Config, logger: Logger): void {
  for (const [index, { name: account, packages }] of after.accounts.entries()) {
    const old = before.accounts[index]?.packages ?? [];
    if (packages === old) continue;
    const ids = new Set(old.map(({ id }) => id));
    const added = packages.filter(({ id }) => !ids.has(id)).length;
    const facts = { packages: packages.length, added, left: old.length + added - packages.length };
    const text = `${pluralize(packages.length, 'package')} now: ${added} added, ${facts.left} left`;
    logger.info({ event: 'packages_changed', account, ...facts }, `account ${account} has ${text}`);
  }
}

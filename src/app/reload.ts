/** A running worker takes a changed config at a request (SIGHUP), after the checks of a start. */
import type { Config } from '../config/config.ts';
import type { Lock } from '../database/lock.ts';
import { toTimestamp, type Clock } from '../lib/clock.ts';
import { coalesce } from '../lib/coalesce.ts';
import { ConfigError, errorLine, hintLine, withHint } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { openPublisher } from '../publishing/publisher.ts';
import { assertCanListen } from '../web/listen-check.ts';
import { createPackagesReload } from './packages-reload.ts';
import type { Pipeline } from './pipeline.ts';
import { noteForOthers } from './worker-notes.ts';

/** Requests to load the config of a running worker again. */
export interface Reloads {
  /** Reads and checks the config file. Throws ConfigError. */
  load: () => Config;
  /** Calls `onRequest` at each request, at once if one came while nobody listened. Returns a function that ends it. */
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
  signal: AbortSignal;
  /** Left out: nobody else is told. */
  events?: { onReloading?: () => void; onRefused?: () => void };
}

/**
 * Waits for a config that may replace the one in service. A config that is refused changes nothing: it is logged, and noted
 * in the lock of the worker, where `status` finds it. `replaced` aborts when `next` gives the new one.
 */
export function awaitReload(parts: ReloadParts) {
  const { reloads, logger } = parts;
  const replacing = new AbortController();
  const closing = new AbortController();
  let next: Config | null = null;
  const rereadPackages = createPackagesReload(parts);
  const reload = async () => {
    parts.events?.onReloading?.();
    try {
      next = await loadReplacement(parts);
      noteForOthers(parts, { refused: null, packages: null });
      logger.info(
        { event: 'config_accepted' },
        'the changed config is valid; it takes effect between two packages',
      );
      for (const line of parts.pipeline.listLeaving(next))
        logger.warn(
          { event: 'package_leaves', reason: line },
          `${line}; the next run retires it, its rows stay`,
        );
      replacing.abort();
    } catch (error) {
      refuse(error, parts);
    }
  };
  const { request, idle } = coalesce(reload, closing.signal);
  const stopListening = reloads.listen(() => void request());
  return {
    replaced: replacing.signal,
    next: () => next,
    /** Before a run: takes the packages that CSV files have now. Throws the reason of the signal. */
    rereadPackages: async () => {
      const reread = await rereadPackages();
      if (!reread || next) return;
      next = reread;
      replacing.abort();
    },
    close: async () => {
      stopListening();
      closing.abort();
      await idle();
    },
  };
}

function refuse(error: unknown, parts: ReloadParts): void {
  const { clock, logger } = parts;
  const text = errorLine(error);
  const hint = hintLine(error);
  noteForOthers(parts, { refused: { at: toTimestamp(clock.now()), error: text } });
  const message = `the config was not reloaded, the worker continues with the one it has: ${text}`;
  logger.error({ event: 'config_refused', error: text, hint }, withHint(message, hint));
  parts.events?.onRefused?.();
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

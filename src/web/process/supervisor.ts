/**
 * The server as the worker sees it: in a process of its own, so that neither a run nor a slow client waits for the other.
 * (In a thread its requests would wait for those of the run all the same: SQLite has one lock on its memory a process.)
 */
import type { ChildProcess } from 'node:child_process';
import type { Config } from '../../config/config.ts';
import { forkDist } from '../../lib/child-process.ts';
import type { Clock } from '../../lib/clock.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { deserializeError } from '../../lib/serialize-error.ts';
import type { Publication } from '../../publishing/publisher.ts';
import { SIGN_OF_LIFE_MS, type FromServer, type ToServer } from './ipc.ts';

export interface WebProcess {
  /** Where it listens, without a slash at the end. */
  url: string;
  published(publication: Pick<Publication, 'durationMs'>): void;
  close(): Promise<void>;
}

/** A process that died is started anew: after a second, then after twice as long each time, up to a minute. */
const RESTART_MS = { first: 1_000, most: 60_000 };
/** How long it may take to listen; longer, and it is killed. */
const START_MS = 30_000;
/** How long an answer under way may take when the worker ends. */
const GRACE_MS = 2_000;

/** A process that was started: how to reach it, and how it ended in the end. */
interface Started {
  /** Null where it could not be started. */
  child: ChildProcess | null;
  url: string;
  ended: Promise<string>;
}

type Running = Started & { child: ChildProcess };

/** What the process is started in. */
export interface ServerSurroundings {
  clock: Clock;
  logger: Logger;
  /** Its environment, which must not hold the service's keys. */
  environment: NodeJS.ProcessEnv;
  /** Breaks the start off. */
  signal: AbortSignal;
}

/**
 * Starts the server of a config that has one, and starts it anew where it dies. Throws ConfigError where it cannot listen,
 * and the reason of the signal where that aborts before.
 */
export async function startWebProcess(config: Config, surroundings: ServerSurroundings): Promise<WebProcess> {
  const { clock, logger, signal } = surroundings;
  const order = withoutKeys(config);
  const closing = new AbortController();
  let running = await start(order, surroundings);
  const { url } = running;
  const again = atPortOf(url, order);
  const anew = { ...surroundings, signal: AbortSignal.any([signal, closing.signal]) };
  const isClosing = () => anew.signal.aborted;

  async function keepUp(): Promise<void> {
    for (let waitMs = RESTART_MS.first; ; waitMs = Math.min(RESTART_MS.most, 2 * waitMs)) {
      const startedAt = clock.now();
      const how = await running.ended;
      if (isClosing()) return;
      if (clock.now() - startedAt > RESTART_MS.most) waitMs = RESTART_MS.first;
      logger.error(`the server ended: ${how}; it is started anew in ${waitMs / 1000} s`);
      await clock.sleep(waitMs, anew.signal);
      running = await start(again, anew).catch(notStarted);
      if (isClosing()) return stop(running);
      if (running.child) logger.info(`serving at ${running.url} again`);
    }
  }

  const kept = keepUp().catch(() => undefined); // its sleep was broken off
  const beat = setInterval(() => say(running, { lives: true }), SIGN_OF_LIFE_MS).unref();
  return {
    url,
    published: ({ durationMs }) => say(running, { published: { durationMs } }),
    close: async () => {
      closing.abort();
      clearInterval(beat);
      await stop(running);
      await kept;
    },
  };
}

/** What the server has to know of the config; the keys of the service are none of its business. */
function withoutKeys(config: Config): Config {
  const accounts = config.accounts.map((account) => ({
    ...account,
    videoList: { ...account.videoList, key: '' },
    storage: account.storage && { ...account.storage, key: '' },
  }));
  return { ...config, accounts, notify: null, secrets: [] };
}

/** The same order where it listens now: a port that was any free one is kept, for people were told of it. */
function atPortOf(url: string, order: Config): Config {
  const { server } = order;
  return { ...order, server: server && { ...server, port: server.port || Number(new URL(url).port) } };
}

async function start(order: Config, surroundings: ServerSurroundings): Promise<Started> {
  const { environment, logger, signal } = surroundings;
  signal.throwIfAborted();
  const child = forkDist('web/process/entry.js', environment);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, killedBy) => resolve(killedBy ?? `code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  const started = { child, url: '', ended };
  say(started, { serve: order });
  const said = await firstWords(started, signal);
  if ('url' in said) {
    child.on('message', (message: FromServer) => {
      if ('failed' in message) logger.error(`the server failed to answer: ${message.failed}`);
    });
    return { ...started, url: said.url };
  }
  await stop(started);
  signal.throwIfAborted();
  throw 'refused' in said ? deserializeError(said.refused) : new Error(said.failed);
}

/** What it says first; that it failed where it ends before, says nothing for too long, or is not waited for any more. */
async function firstWords({ child, ended }: Running, signal: AbortSignal): Promise<FromServer> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(START_MS)]);
  const kill = () => child.kill('SIGKILL');
  limit.addEventListener('abort', kill, { once: true });
  try {
    return await new Promise<FromServer>((resolve) => {
      child.once('message', (message) => resolve(message as FromServer));
      void ended.then((how) => resolve({ failed: `the server ended before it listened: ${how}` }));
    });
  } finally {
    limit.removeEventListener('abort', kill);
  }
}

function notStarted(error: unknown): Started {
  return { child: null, url: '', ended: Promise.resolve(errorMessage(error)) };
}

function say({ child }: Started, words: ToServer): void {
  if (child?.connected) child.send(words, () => undefined); // one that is gone is noticed by its end
}

/** Lets go of it, and waits for its end. */
async function stop({ child, ended }: Started): Promise<void> {
  const late = setTimeout(() => child?.kill('SIGKILL'), GRACE_MS);
  if (child?.connected) child.disconnect();
  await ended;
  clearTimeout(late);
}

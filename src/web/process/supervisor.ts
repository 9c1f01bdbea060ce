/**
 * The worker's side of the web server's process: starts it, restarts it, stops it. It is a process, not a
 * thread, so that neither a run nor a slow client waits for the other: SQLite has one memory lock per
 * process.
 */
import type { ChildProcess } from 'node:child_process';
import type { Config } from '../../config/config.ts';
import { forkBundle, sendRequest, deserializeError } from '../../lib/child-process.ts';
import type { Clock } from '../../lib/clock.ts';
import { errorMessage } from '../../lib/errors.ts';
import { NO_PROXIES } from '../../lib/http/proxies.ts';
import type { Logger } from '../../lib/logger.ts';
import { redactAll } from '../../lib/redact.ts';
import type { WebServer } from '../server.ts';
import { HEARTBEAT_MS, type FromServer, type ToServer } from './ipc.ts';

/** The wait before a restart; it doubles from `first` to `max`. */
const RESTART_MS = { first: 1_000, max: 60_000 };
/** A process that does not listen after this time is killed. */
const START_TIMEOUT_MS = 30_000;
/** How long open requests may take when the worker ends. */
const STOP_TIMEOUT_MS = 2_000;

interface Launched {
  /** The process; null if it could not be launched. */
  child: ChildProcess | null;
  url: string;
  /** Resolves with the reason when the process ends. */
  ended: Promise<string>;
}

interface WebProcessOptions {
  clock: Clock;
  logger: Logger;
  /** The environment of the process, without keys of the service. */
  environment: NodeJS.ProcessEnv;
  /** Aborts the start. */
  signal: AbortSignal;
}

/**
 * Starts the server of a config that has one, and restarts it when it dies. Throws ConfigError if it cannot
 * listen, and the reason of the signal if that aborts first.
 */
export async function startWebProcess(config: Config, options: WebProcessOptions): Promise<WebServer> {
  const { clock, logger, signal } = options;
  const closing = new AbortController();
  const stopped = AbortSignal.any([signal, closing.signal]);
  const isStopped = () => stopped.aborted;
  const served = removeServiceKeys(config);
  let current = await launch(served, options);
  const { url } = current;
  // after a restart it listens at the same port, also if the config has 0 (any free port)
  const server = served.server && { ...served.server, port: Number(new URL(url).port) };

  async function supervise(): Promise<void> {
    for (let waitMs = RESTART_MS.first; ; waitMs = Math.min(RESTART_MS.max, 2 * waitMs)) {
      const startedAt = clock.now();
      const reason = await current.ended;
      if (isStopped()) return;
      if (clock.now() - startedAt > RESTART_MS.max) waitMs = RESTART_MS.first;
      logger.error(
        { event: 'server_ended', reason, restart_ms: waitMs },
        `the web server ended: ${reason}; restarting in ${waitMs / 1000} s`,
      );
      await clock.sleep(waitMs, stopped);
      current = await launch({ ...served, server }, { ...options, signal: stopped }).catch(toFailedLaunch);
      if (isStopped()) return stop(current);
      const { child, url } = current;
      if (child) logger.info({ event: 'server_listening', url }, `serving at ${url} again`);
    }
  }

  const supervising = supervise().catch(() => undefined); // it rejects when its sleep is aborted
  const heartbeat = setInterval(() => send(current, { heartbeat: true }), HEARTBEAT_MS).unref();
  return {
    url,
    recordPublication: ({ durationMs }) => send(current, { published: { durationMs } }),
    close: async () => {
      closing.abort();
      clearInterval(heartbeat);
      await stop(current);
      await supervising;
    },
  };
}

/**
 * The config without the keys of the service, the proxies, webhooks and logins of targets, which a server
 * does not need.
 */
function removeServiceKeys(config: Config): Config {
  const accounts = config.accounts.map((account) => ({
    ...account,
    videoList: { ...account.videoList, key: '' },
    storage: account.storage && { ...account.storage, key: '' },
    proxy: null,
    ca: null,
  }));
  const publish = redactAll(config.publish, config.secrets);
  return { ...config, accounts, publish, proxies: NO_PROXIES, notify: null, secrets: [] };
}

async function launch(config: Config, { environment, logger, signal }: WebProcessOptions): Promise<Launched> {
  signal.throwIfAborted();
  const child = forkBundle('web/process/entry', environment);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, killedBy) => resolve(killedBy ?? `code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
  const kill = () => child.kill('SIGKILL');
  limit.addEventListener('abort', kill, { once: true });
  const answer = await sendRequest<FromServer>(child, { serve: config } satisfies ToServer);
  limit.removeEventListener('abort', kill);
  if ('url' in answer) {
    child.on('message', (message: FromServer) => {
      if (!('error' in message)) return;
      const { error } = message;
      logger.error({ event: 'server_error', error }, `the web server failed to answer: ${error}`);
    });
    return { child, url: answer.url, ended };
  }
  await stop({ child, ended });
  signal.throwIfAborted();
  if ('startError' in answer) throw deserializeError(answer.startError);
  const reason = 'error' in answer ? answer.error : answer.ended;
  throw new Error(`the web server ended before it listened: ${reason}`);
}

const toFailedLaunch = (error: unknown): Launched => ({
  child: null,
  url: '',
  ended: Promise.resolve(errorMessage(error)),
});

function send({ child }: Launched, message: ToServer): void {
  if (child?.connected) child.send(message, () => undefined); // `ended` reports a dead process
}

/** Disconnects, waits for the end, and kills the process if that takes too long. */
async function stop({ child, ended }: Pick<Launched, 'child' | 'ended'>): Promise<void> {
  const timer = setTimeout(() => child?.kill('SIGKILL'), STOP_TIMEOUT_MS);
  if (child?.connected) child.disconnect();
  await ended;
  clearTimeout(timer);
}

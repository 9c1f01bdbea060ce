import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { takeNotifySocket } from '../../config/env-vars.ts';
import { openServiceManager, type ServiceManager } from '../../app/service-manager.ts';
import { runWorker, type WorkerEvents } from '../../app/worker.ts';
import { warnIfPlanDoesNotFit } from '../../capacity/plan-report.ts';
import { errorLine, hintLine, InterruptedError, VodhouseError } from '../../lib/errors.ts';
import { createLogger, type Logger } from '../../lib/logger.ts';
import { createLogContext, type ConfigOptions } from '../command-context.ts';
import { EXIT, exitCodeFor } from '../exit.ts';
import { logPublication, logRun } from '../output/log-progress.ts';
import { abortOnSignal, requestOnHangup } from '../signals.ts';

/**
 * `vodhouse start`: runs the worker until SIGINT or SIGTERM. SIGHUP reloads the config. Returns the exit
 * code. With `--log-format json`, an error that ends it is a line of the log.
 */
export async function start(options: ConfigOptions): Promise<number> {
  const { logLevel: level, logFormat: format } = options;
  try {
    return await startWorker(options);
  } catch (thrown) {
    if (format !== 'json' || level === 'silent') throw thrown;
    const [error, hint] = [errorLine(thrown), hintLine(thrown)];
    const stack = thrown instanceof VodhouseError ? undefined : (thrown as Error).stack;
    createLogger({ level, format, secrets: [] }).error({ event: 'worker_failed', error, hint, stack }, error);
    return exitCodeFor(thrown);
  }
}

async function startWorker(options: ConfigOptions): Promise<number> {
  const socket = takeNotifySocket();
  const config = loadConfig(options.config);
  const secrets = [...config.secrets]; // a reload adds others
  const context = createLogContext('start', options, secrets, 'none');
  const { logger } = context;
  const manager = openServiceManager(socket, logger);
  const stop = abortOnSignal(undefined, (line, reason) => {
    logger.info({ event: 'worker_stopping', reason }, line.trimEnd());
    manager.stopping('stopping after the current page');
  });
  const load = () => {
    const next = loadConfig(options.config);
    secrets.push(...next.secrets.filter((secret) => !secrets.includes(secret)));
    return next;
  };
  const reloads = { load, listen: requestOnHangup() };
  try {
    await runWorker(config, context, stop.signal, eventsOf(config, options, logger, manager), reloads);
  } catch (error) {
    // a signal while the server starts is no failure
    if (!(error instanceof InterruptedError)) throw error;
  } finally {
    await manager.close();
  }
  const reason = stop.received();
  logger.info({ event: 'worker_stopped', reason }, `stopped by ${reason ?? 'a signal'}`);
  return reason === 'SIGINT' ? EXIT.interrupted : EXIT.done;
}

/** Logs a line for each event of the worker, and notifies the service manager. */
function eventsOf(
  config: Config,
  options: ConfigOptions,
  logger: Logger,
  manager: ServiceManager,
): WorkerEvents {
  return {
    ...logWorkerEvents(logger),
    onStarted: () => {
      manager.starting('reading the whole file once');
      warnIfPlanDoesNotFit(config, options, logger);
      const message = `worker of ${config.warehouse}: ${runsText(config)}`;
      logger.info({ event: 'worker_started', ...runsOf(config) }, message);
    },
    onReady: (served) => manager.ready(runsText(served)),
    onReloading: () => manager.reloading('reading the config again'),
    onRefused: (kept) => manager.ready(`the config was not reloaded, see the log; ${runsText(kept)}`),
    onReloaded: (next) => {
      warnIfPlanDoesNotFit(next, options, logger);
      const message = `took the changed config: ${runsText(next)}`;
      logger.info({ event: 'config_reloaded', ...runsOf(next) }, message);
    },
  };
}

function runsOf({ warehouse, schedule: { full, quick, timezone } }: Config) {
  return { warehouse, full, quick, timezone };
}

function runsText({ schedule: { full, quick, timezone } }: Config): string {
  const quickText = quick === null ? '' : `, quick ones at "${quick}"`;
  return `full runs at "${full}"${quickText} ${timezone}`;
}

/** Logs a line for each address, run and publication of the worker. */
export function logWorkerEvents(logger: Logger): WorkerEvents {
  return {
    onServing: (url) => logger.info({ event: 'server_listening', url }, `serving at ${url}`),
    onRun: (summary) => logRun(logger, summary),
    onPublished: (publication) => logPublication(logger, publication),
  };
}

import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { runWorker, type WorkerEvents } from '../../app/worker.ts';
import { warnIfPlanDoesNotFit } from '../../capacity/plan-report.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { openWorkerContext, type ConfigOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { logPublication, logRun } from '../output/log-run.ts';
import { abortOnSignal, requestOnHangup } from '../signals.ts';

/** `vodhouse start`: the worker, until SIGTERM. SIGHUP reloads the config. Returns the exit code. */
export async function start(options: ConfigOptions): Promise<number> {
  const config = loadConfig(options.config);
  const secrets = [...config.secrets]; // a reload adds others
  const context = openWorkerContext('start', options, secrets);
  const stop = abortOnSignal();
  const { logger } = context;
  const onStarted = () => {
    warnIfPlanDoesNotFit(config, options, logger);
    logger.info(
      { event: 'worker_started', ...runsOf(config) },
      `worker of ${config.warehouse}: ${runsText(config)}`,
    );
  };
  const onReloaded = (next: Config) => {
    warnIfPlanDoesNotFit(next, options, logger);
    logger.info({ event: 'config_reloaded', ...runsOf(next) }, `took the changed config: ${runsText(next)}`);
  };
  const load = () => {
    const next = loadConfig(options.config);
    secrets.push(...next.secrets);
    return next;
  };
  const reloads = { load, listen: requestOnHangup() };
  await runWorker(
    config,
    context,
    stop.signal,
    { ...logWorkerEvents(logger), onStarted, onReloaded },
    reloads,
  );
  const reason = errorMessage(stop.signal.reason);
  logger.info({ event: 'worker_stopped', reason }, `stopped: ${reason}`);
  return stop.received() === 'SIGINT' ? EXIT.interrupted : EXIT.done;
}

function runsOf({ warehouse, schedule: { full, quick, timezone } }: Config) {
  return { warehouse, full, quick, timezone };
}

function runsText({ schedule: { full, quick, timezone } }: Config): string {
  const quickText = quick === null ? '' : `, quick ones at "${quick}"`;
  return `full runs at "${full}"${quickText} ${timezone}`;
}

/** Logs one line per event. */
export function logWorkerEvents(logger: Logger): WorkerEvents {
  return {
    onStarted: () => undefined,
    onReloaded: () => undefined,
    onServing: (url) => logger.info({ event: 'server_listening', url }, `serving at ${url}`),
    onRun: (summary) => logRun(logger, summary),
    onPublished: (publication) => logPublication(logger, publication),
  };
}

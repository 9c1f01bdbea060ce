import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { runWorker, type WorkerEvents } from '../../app/worker.ts';
import { warnIfPlanDoesNotFit } from '../../capacity/plan-report.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { openWorkerContext, type ConfigOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { logPublication, logRun } from '../output/log-run.ts';
import { abortOnSignal } from '../signals.ts';

/** `vodhouse start`: the worker, until SIGTERM. Returns the exit code. */
export async function start(options: ConfigOptions): Promise<number> {
  const config = loadConfig(options.config);
  const context = openWorkerContext('start', options, config.secrets);
  const stop = abortOnSignal();
  const { logger } = context;
  const onStarted = () => {
    warnIfPlanDoesNotFit(config, options, logger);
    logStart(logger, config);
  };
  await runWorker(config, context, stop.signal, { ...logWorkerEvents(logger), onStarted });
  const reason = errorMessage(stop.signal.reason);
  logger.info({ event: 'worker_stopped', reason }, `stopped: ${reason}`);
  return stop.received() === 'SIGINT' ? EXIT.interrupted : EXIT.done;
}

function logStart(logger: Logger, { warehouse, schedule: { full, quick, timezone } }: Config): void {
  const quickText = quick === null ? '' : `, quick ones at "${quick}"`;
  const message = `worker of ${warehouse}, full runs at "${full}"${quickText} ${timezone}`;
  logger.info({ event: 'worker_started', warehouse, full, quick, timezone }, message);
}

/** Logs one line per event. */
export function logWorkerEvents(logger: Logger): WorkerEvents {
  return {
    onStarted: () => undefined,
    onServing: (url) => logger.info({ event: 'server_listening', url }, `serving at ${url}`),
    onRun: (summary) => logRun(logger, summary),
    onPublished: (publication) => logPublication(logger, publication),
  };
}

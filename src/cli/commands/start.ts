import { loadConfig } from '../../config/load.ts';
import { runWorker, type WorkerEvents } from '../../app/worker.ts';
import { warnIfPlanDoesNotFit } from '../../capacity/plan-report.ts';
import { errorMessage } from '../../lib/errors.ts';
import { formatCount, pluralize, formatDuration } from '../../lib/format.ts';
import type { Logger } from '../../lib/logger.ts';
import type { RunSummary } from '../../sync/run.ts';
import { openWorkerContext, type ConfigOptions } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { publicationLine } from '../output/publication-text.ts';
import { abortOnSignal } from '../signals.ts';

/** `vodhouse start`: the worker, until SIGTERM. Returns the exit code. */
export async function start(options: ConfigOptions): Promise<number> {
  const config = loadConfig(options.config);
  const context = openWorkerContext('start', options, config.secrets);
  const stop = abortOnSignal();
  const { logger } = context;
  warnIfPlanDoesNotFit(config, options, logger);
  const { full, quick } = config.schedule;
  const quickText = quick === null ? '' : `, quick ones at "${quick}"`;
  logger.info(
    `worker of ${config.warehouse}, full runs at "${full}"${quickText} ${config.schedule.timezone}`,
  );
  await runWorker(config, context, stop.signal, logWorkerEvents(logger));
  logger.info(`stopped: ${errorMessage(stop.signal.reason)}`);
  return stop.received() === 'SIGINT' ? EXIT.interrupted : EXIT.done;
}

/** Logs one line per event. */
export function logWorkerEvents(logger: Logger): WorkerEvents {
  return {
    onServing: (url) => logger.info(`serving at ${url}`),
    onRun: (summary) => logRun(logger, summary),
    onPublished: (publication) => logger.info(publicationLine(publication)),
  };
}

function logRun(logger: Logger, { mode, runId, status, walks, requests, durationMs }: RunSummary): void {
  const changes = (['inserted', 'updated', 'removed', 'restored'] as const).map((kind) => {
    const count = walks.reduce((total, walk) => total + walk[kind], 0);
    return `${kind} ${formatCount(count)}`;
  });
  const cost = `${pluralize(requests, 'request')}, ${formatDuration(durationMs)}`;
  const isExpected = status === 'succeeded' || status === 'parked'; // the reason for parking is logged where it arises
  const level = isExpected ? 'info' : 'warn';
  logger[level](`${mode} run ${runId} ${status}: ${changes.join(', ')}; ${cost}`);
}

import { errorMessage } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { RunSummary } from '../../sync/run.ts';
import { runWorker, type WorkerEvents } from '../../app/worker.ts';
import { EXIT } from '../exit.ts';
import { warnIfPlanDoesNotFit } from '../../capacity/plan-report.ts';
import { publicationWords } from './publish.ts';
import { openWorkerContext, readConfig, type ConfigOptions } from '../command-context.ts';
import { abortOnSignal } from '../signals.ts';
import { formatCount, pluralize, formatDuration } from '../../lib/format.ts';

/** `vodhouse start`: the worker, until SIGTERM. Gives the exit code. */
export async function start(options: ConfigOptions): Promise<number> {
  const config = readConfig(options);
  const session = openWorkerContext('start', options, config.secrets);
  const stop = abortOnSignal();
  const { logger } = session;
  warnIfPlanDoesNotFit(config, options, logger);
  const { full, quick } = config.schedule;
  const quickly = quick === null ? '' : `, quick ones at "${quick}"`;
  logger.info(`worker of ${config.warehouse}, full runs at "${full}"${quickly} UTC`);
  try {
    await runWorker(config, session, stop.signal, logWorkerEvents(logger));
  } finally {
    session.close();
  }
  logger.info(`stopped: ${errorMessage(stop.signal.reason)}`);
  return stop.received() === 'SIGINT' ? EXIT.interrupted : EXIT.done;
}

/** Says in a line what a worker did. */
export function logWorkerEvents(logger: Logger): WorkerEvents {
  return {
    onServing: (url) => logger.info(`serving at ${url}`),
    onRun: (summary) => logRun(logger, summary),
    onPublished: (publication) => logger.info(publicationWords(publication)),
  };
}

function logRun(logger: Logger, summary: RunSummary): void {
  const sum = (name: 'inserted' | 'updated' | 'removed' | 'restored') =>
    summary.walks.reduce((total, walk) => total + walk[name], 0);
  const names = [
    ['inserted', 'new'],
    ['updated', 'changed'],
    ['removed', 'removed'],
    ['restored', 'restored'],
  ] as const;
  const changes = names.map(([name, word]) => `${formatCount(sum(name))} ${word}`).join(', ');
  const cost = `${pluralize(summary.requests, 'request')}, ${formatDuration(summary.durationMs)}`;
  const isAsMeant = summary.status === 'succeeded' || summary.status === 'parked'; // why it is parked was said
  const level = isAsMeant ? 'info' : 'warn';
  logger[level](`${summary.mode} run ${summary.runId} ${summary.status}: ${changes}; ${cost}`);
}

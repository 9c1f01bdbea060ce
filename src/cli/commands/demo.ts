import { createServer, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { createCronTicks } from '../../app/cron.ts';
import { openOwnSchedules } from '../../app/own-schedules.ts';
import { openPipeline } from '../../app/pipeline.ts';
import { runWorker, type WorkerEvents } from '../../app/worker.ts';
import { commandsFor } from '../../health/commands.ts';
import { InterruptedError } from '../../lib/errors.ts';
import { lockOrThrow } from '../../database/lock.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import type { Progress } from '../../sync/context.ts';
import {
  openCommandContext,
  openWorkerContext,
  type CommandContext,
  type LogOptions,
} from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { configExamples, followText, mirrorExample, queryExamples } from '../output/demo-text.ts';
import { displayPath } from '../output/output.ts';
import { publishResultText } from '../output/publication-text.ts';
import { formatRun } from '../output/run-summary.ts';
import { exitCodeForSync, publishAfterRun } from '../publish-after-run.ts';
import { abortOnSignal } from '../signals.ts';
import { findEarlierDemo, getPublishedFile, PACKAGES, TIMEZONE, writeDemoConfig } from './demo-config.ts';
import { createPastClock, makePast, readEarlierDemo, replayDemo, startOfPast } from './demo-past.ts';
import { logWorkerEvents } from './start.ts';

export interface DemoOptions extends LogOptions {
  once?: true;
  file: string;
  /** Videos of the account that change per minute. */
  churn: number;
}

const DEFAULT_PORT = 8320;
/** How long the sandbox takes to answer in the past. */
const ANSWER_MS = 400;
const EVERY_SECOND = '* * * * * *';

/** `vodhouse demo`: a sandbox account over real HTTP, a real warehouse and the status page. Returns the exit code. */
export async function demo(options: DemoOptions): Promise<number> {
  const warehouse = resolve(options.file);
  const isResumed = findEarlierDemo(warehouse);
  if (isResumed) lockOrThrow(warehouse, 'worker', 'demo', Date.now()).release(); // another demo would lose its config
  const earlier = isResumed ? readEarlierDemo(warehouse) : null;
  const startMs = earlier?.startMs ?? startOfPast();
  let line = (text: string): void => void process.stderr.write(text);
  const { signal } = abortOnSignal(undefined, (text) => line(text));
  const clock = createPastClock();
  const sandbox = createSandbox({
    clock,
    timezone: TIMEZONE,
    packages: PACKAGES,
    newestMs: startMs,
    createdAt: (packageId, id) => earlier?.created.get(`${packageId}/${id}`) ?? undefined,
    answerMs: ANSWER_MS,
    churnPerMinute: options.once ? 0 : options.churn,
  });
  if (earlier) await replayDemo(sandbox, clock, earlier);
  const { url } = await sandbox.listen({});
  const { key } = sandbox;
  const port = await findPort(DEFAULT_PORT);
  const config = writeDemoConfig(warehouse, { url, key, port, isRunning: !options.once });
  const file = displayPath(warehouse);
  const command = { ...options, config: displayPath(config.file) };
  const context = { ...(await openCommandContext('demo', command, config.secrets)), isDemo: true };
  line = context.line; // above the bars
  try {
    process.stdout.write(
      `sandbox account at ${url}; ${isResumed ? 'updating' : 'creating'} the warehouse ${file}\n`,
    );
    if (!isResumed) {
      context.announce(`making up a past for ${file} …\n`);
      process.stdout.write(await makePast({ config, sandbox, clock, startMs, context, signal }));
    }
    process.stdout.write('\n');
    if (options.once) return await syncOnce(config, context, signal);
    await runDemoWorker(config, context, signal, options);
    process.stdout.write(`\nstopped; the warehouse is kept: ${file}\n`);
    return EXIT.done;
  } finally {
    context.close();
    await sandbox.close();
  }
}

/** `wanted` if nothing listens on it at 127.0.0.1, else any free port. */
function findPort(wanted: number): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(findPort(0)));
    server.listen(wanted, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function syncOnce(config: Config, context: CommandContext, signal: AbortSignal): Promise<number> {
  const pipeline = openPipeline(config, context);
  try {
    const { selectForFullRun } = openOwnSchedules(config, pipeline.warehouse); // as the worker does
    const takesPart = selectForFullRun(Date.now());
    const summary = await pipeline.run({ trigger: 'manual', takesPart, signal });
    const published = await publishAfterRun(pipeline, context, signal);
    context.close();
    process.stdout.write(
      formatRun(summary, config, { formatCommand: context.formatCommand ?? commandsFor(config.file) }) +
        publishResultText(published) +
        queryExamples(getPublishedFile(config.warehouse)) +
        configExamples(config.file, false),
    );
    return exitCodeForSync(summary.status, published);
  } finally {
    await pipeline.close();
  }
}

/** A worker with its web page. Its first run has progress bars and a full summary, later ones a log line. */
async function runDemoWorker(
  config: Config,
  first: CommandContext,
  signal: AbortSignal,
  options: DemoOptions,
): Promise<void> {
  const later = openWorkerContext('demo', options, config.secrets);
  let { progress } = first;
  const progressProxy: Progress = {
    walkStarted: (walk) => progress.walkStarted(walk),
    pageStored: (page) => progress.pageStored(page),
    walkEnded: (walk) => progress.walkEnded(walk),
    requestSent: () => progress.requestSent(),
    packagesQueued: (packages) => progress.packagesQueued(packages),
    packageDone: (key, walk) => progress.packageDone(key, walk),
  };
  const { formatCommand } = first;
  const events = verboseUntilFirstRun(
    config,
    { ...options, formatCommand },
    logWorkerEvents(later.logger),
    () => {
      ({ progress } = later);
      first.close();
    },
  );
  const createTicks = (onTick: () => Promise<void>) => createCronTicks(EVERY_SECOND, onTick, later.logger);
  try {
    await runWorker(config, { ...first, progress: progressProxy, createTicks }, signal, events);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
  }
}

/** Prints the first run and the first publication in full; passes the others on. */
function verboseUntilFirstRun(
  config: Config,
  { churn, formatCommand }: DemoOptions & Pick<CommandContext, 'formatCommand'>,
  others: WorkerEvents,
  onFirstRun: () => void,
): WorkerEvents {
  let [runs, publications] = [0, 0];
  return {
    ...others,
    onServing: (url) => void process.stdout.write(`watch it in a browser: ${url}/\n\n`),
    onRun: (summary) => {
      runs++;
      if (runs === 1) {
        onFirstRun();
        process.stdout.write(
          formatRun(summary, config, { formatCommand: formatCommand ?? commandsFor(config.file) }),
        );
      } else others.onRun(summary);
    },
    onPublished: (publication) => {
      publications++;
      if (publications === 1) {
        process.stdout.write(
          publishResultText(publication) +
            queryExamples(getPublishedFile(config.warehouse)) +
            mirrorExample(config.server?.port ?? DEFAULT_PORT) +
            configExamples(config.file, true) +
            followText(churn),
        );
      } else others.onPublished(publication);
    },
  };
}

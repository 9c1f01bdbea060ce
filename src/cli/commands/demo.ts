import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { createCronTicks } from '../../app/cron.ts';
import { assertDemoOrReal } from '../../app/file-use.ts';
import { openOwnSchedules } from '../../app/own-schedules.ts';
import { openPipeline } from '../../app/pipeline.ts';
import { runWorker, type WorkerEvents } from '../../app/worker.ts';
import { systemClock } from '../../lib/clock.ts';
import { InterruptedError } from '../../lib/errors.ts';
import { assertOurFile } from '../../publishing/atomic-replace.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import type { Progress } from '../../sync/context.ts';
import { openWarehouse } from '../../warehouse/warehouse.ts';
import {
  openCommandContext,
  openWorkerContext,
  type CommandContext,
  type LogOptions,
} from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { assertPostgresUrl, claimDemoAccount, loadDemoTarget } from '../demo-target.ts';
import { followText, mirrorExample, psqlExamples, queryExamples } from '../output/demo-text.ts';
import { exitCodeForLoads, targetLoadsText, type TargetLoads } from '../output/load-text.ts';
import { displayPath } from '../output/output.ts';
import { publishResultText } from '../output/publication-text.ts';
import { formatRun } from '../output/run-summary.ts';
import { exitCodeForSync, publishAfterRun } from '../publish-after-run.ts';
import { abortOnSignal } from '../signals.ts';
import { demoConfig, getPublishedFile, PACKAGES, TIMEZONE } from './demo-config.ts';
import { createPastClock, makePast, replayDemo } from './demo-past.ts';
import { logWorkerEvents } from './start.ts';

export interface DemoOptions extends LogOptions {
  once?: true;
  file: string;
  /** Videos of the account that change per minute. */
  churn: number;
  /** Address of a database that gets the tables too. */
  postgres?: string;
}

const DEFAULT_PORT = 8320;
/** How long the sandbox takes to answer in the past. */
const ANSWER_MS = 400;
const EVERY_SECOND = '* * * * * *';

/** `vodhouse demo`: a sandbox account over real HTTP, a real warehouse and the status page. Returns the exit code. */
export async function demo(options: DemoOptions): Promise<number> {
  if (options.postgres !== undefined) assertPostgresUrl(options.postgres);
  let line = (text: string): void => void process.stderr.write(text);
  const { signal } = abortOnSignal(undefined, (text) => line(text));
  const clock = createPastClock();
  const sandbox = createSandbox({
    clock,
    timezone: TIMEZONE,
    packages: PACKAGES,
    answerMs: ANSWER_MS,
    churnPerMinute: options.once ? 0 : options.churn,
  });
  const { url } = await sandbox.listen({});
  const port = options.once ? 0 : await findPort(DEFAULT_PORT);
  const config = demoConfig(resolve(options.file), url, sandbox, port, options.postgres);
  const { warehouse } = config;
  const context = { ...(await openCommandContext('demo', options, config.secrets)), isDemo: true };
  line = context.line; // above the bars
  try {
    const isResumed = existsSync(warehouse);
    if (isResumed) assertDemoFile(warehouse);
    if (isResumed) await replayChanges(sandbox, warehouse);
    else removeStalePublishedFile(getPublishedFile(warehouse));
    for (const target of config.publish?.targets ?? [])
      if (target.kind === 'postgres') await claimDemoAccount(config, target);
    const file = displayPath(warehouse);
    process.stdout.write(
      `sandbox account at ${url}; ${isResumed ? 'updating' : 'creating'} the warehouse ${file}\n`,
    );
    if (!isResumed) {
      context.announce(`making up a past for ${file} …\n`);
      process.stdout.write(await makePast({ config, sandbox, clock, context, signal }));
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

/** Throws ConfigError if the file holds anything else. */
function assertDemoFile(path: string): void {
  const warehouse = openWarehouse(path, systemClock);
  try {
    assertDemoOrReal(path, warehouse.getFileUse(), true);
  } finally {
    warehouse.close();
  }
}

/** `wanted` if nothing listens on it at 127.0.0.1; else 0, for any free port. */
function findPort(wanted: number): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen(wanted, '127.0.0.1', () => server.close(() => resolve(wanted)));
  });
}

async function syncOnce(config: Config, context: CommandContext, signal: AbortSignal): Promise<number> {
  const pipeline = openPipeline(config, context);
  try {
    const { selectForFullRun } = openOwnSchedules(config, pipeline.warehouse); // as the worker does
    const takesPart = selectForFullRun(Date.now());
    const summary = await pipeline.run({ trigger: 'manual', takesPart, signal });
    const published = await publishAfterRun(pipeline, context, signal, summary.clock);
    const loads = await loadDemoTarget(config, pipeline, context.logger, signal);
    context.close();
    process.stdout.write(
      formatRun(summary, config, true) +
        publishResultText(published) +
        examples(config) +
        loadText(config, loads),
    );
    const code = exitCodeForSync(summary.status, published);
    return code === EXIT.done && loads ? exitCodeForLoads([loads], true) : code;
  } finally {
    await pipeline.close();
  }
}

/** What arrived in the target of the demo, and how to look at it. Empty where there is none. */
function loadText({ publish }: Config, loads: TargetLoads | null): string {
  const [target] = publish?.targets ?? [];
  return loads && target?.kind === 'postgres' ? `\n${targetLoadsText(loads)}${psqlExamples(target)}` : '';
}

function examples({ warehouse, server }: Config): string {
  const mirror = server !== null && server.port > 0 ? mirrorExample(server.port) : '';
  return queryExamples(getPublishedFile(warehouse)) + mirror;
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
  const events = verboseUntilFirstRun(config, options, logWorkerEvents(later.logger), () => {
    ({ progress } = later);
    first.close();
  });
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
  { churn }: DemoOptions,
  others: WorkerEvents,
  onFirstRun: () => void,
): WorkerEvents {
  let [runs, publications, loads] = [0, 0, 0];
  return {
    ...others,
    onServing: (url) => void process.stdout.write(`watch it in a browser: ${url}/\n\n`),
    onRun: (summary) => {
      runs++;
      if (runs === 1) {
        onFirstRun();
        process.stdout.write(formatRun(summary, config, true));
      } else others.onRun(summary);
    },
    onPublished: (publication) => {
      publications++;
      if (publications === 1) {
        process.stdout.write(publishResultText(publication) + examples(config) + followText(churn));
      } else others.onPublished(publication);
    },
    onLoaded: (target, results) => {
      if (++loads === 1)
        process.stdout.write(`${loadText(config, { target, results, isVerified: false })}\n`);
    },
  };
}

/** The sandbox starts from the same account each time: these changes bring it to where the warehouse last read it. */
async function replayChanges(sandbox: Sandbox, warehouse: string): Promise<void> {
  try {
    await replayDemo(sandbox, warehouse);
  } catch {
    // a file of an older version, which the worker migrates, or not a warehouse, which it rejects
  }
}

/** Publishing would not replace the file of an earlier demo whose warehouse was deleted. */
function removeStalePublishedFile(file: string): void {
  assertOurFile(file);
  rmSync(file, { force: true });
}

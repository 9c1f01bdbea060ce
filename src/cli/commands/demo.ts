import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { InterruptedError } from '../../lib/errors.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { createCronTicks } from '../../app/cron.ts';
import type { RunSummary } from '../../sync/run.ts';
import { openPageQueries } from '../../queries/page-queries.ts';
import { assertOurFile } from '../../publishing/atomic-replace.ts';
import { runWorker, type WorkerEvents } from '../../app/worker.ts';
import { demoConfig, publishedBeside, TIMEZONE } from './demo-config.ts';
import { EXIT } from '../exit.ts';
import { freePort } from './free-port.ts';
import { readHeldBack } from '../output/held-back-summary.ts';
import { exitOfSync, publishAfterRun, publishedLines } from './publish.ts';
import {
  openCommandContext,
  openWorkerContext,
  type LogOptions,
  type CommandContext,
} from '../command-context.ts';
import { logWorkerEvents } from './start.ts';
import { abortOnSignal, type SignalStop } from '../signals.ts';
import { summaryText } from '../output/run-summary.ts';
import { namesOf } from './sync.ts';
import { displayPath } from '../output/output.ts';
import type { Progress } from '../../sync/context.ts';
import { openPipeline } from '../../app/pipeline.ts';

export interface DemoOptions extends LogOptions {
  once?: true;
  file: string;
  /** Videos of the account changed a minute. */
  churn: number;
}

const DEFAULT_PORT = 8320;
/** What the account holds at first. */
const VIDEOS = 12_300;
/** How often the worker of the demo looks what is due. */
const EVERY_SECOND = '* * * * * *';

/** `vodhouse demo`: a made-up account over real HTTP, synced into a real file, and a page that shows it. Gives the exit code. */
export async function demo(options: DemoOptions): Promise<number> {
  const stop = abortOnSignal();
  const sandbox = createSandbox({
    clock: { now: () => Date.now(), sleep: () => Promise.resolve() },
    timezone: TIMEZONE,
    churnPerMinute: options.once ? 0 : options.churn,
  });
  const { url } = await sandbox.listen({});
  const port = options.once ? 0 : await freePort(DEFAULT_PORT);
  const config = demoConfig(resolve(options.file), url, sandbox, port);
  const session = openCommandContext('demo', options, config.secrets);
  try {
    const isKnown = existsSync(config.warehouse);
    if (isKnown) sandbox.churn(replayedChanges(config.warehouse));
    else removeStalePublishedFile(publishedBeside(config.warehouse));
    const words = isKnown ? 'going on with' : 'making';
    process.stdout.write(
      `a made-up account answers at ${url}; ${words} ${displayPath(config.warehouse)}\n\n`,
    );
    if (options.once) return await syncOnce(config, session, stop);
    await runDemoWorker(config, session, stop, options);
    process.stdout.write(`\nstopped; the warehouse stays: ${displayPath(config.warehouse)}\n`);
    return EXIT.done;
  } finally {
    session.close();
    await sandbox.close();
  }
}

async function syncOnce(config: Config, session: CommandContext, stop: SignalStop): Promise<number> {
  const pipeline = openPipeline(config, session);
  try {
    const summary = await pipeline.run({ trigger: 'manual', signal: stop.signal });
    const published = await publishAfterRun(pipeline, session, stop.signal, summary.clock);
    session.close();
    process.stdout.write(inWords(summary, config) + publishedLines(published) + queries(config));
    return exitOfSync(summary.status, published);
  } finally {
    await pipeline.close();
  }
}

function inWords(summary: RunSummary, config: Config): string {
  const leftBack = readHeldBack(config.warehouse, summary.walks, false, null);
  return summaryText(summary, { names: namesOf(config), leftBack, columns: process.stdout.columns });
}

/** A worker with its page from the start; what its first run brings is told at length. */
async function runDemoWorker(
  config: Config,
  first: CommandContext,
  stop: SignalStop,
  options: DemoOptions,
): Promise<void> {
  const later = openWorkerContext('demo', options, config.secrets);
  let progress = first.progress;
  const progressProxy: Progress = {
    walkStarted: (walk) => progress.walkStarted(walk),
    pageStored: (page) => progress.pageStored(page),
    walkEnded: (walk) => progress.walkEnded(walk),
  };
  const events = verboseUntilFirstRun(config, options, logWorkerEvents(later.logger), () => {
    progress = later.progress;
    first.close();
  });
  const createTicks = (onTick: () => Promise<void>) => createCronTicks(EVERY_SECOND, onTick, later.logger);
  try {
    await runWorker(config, { ...first, progress: progressProxy, createTicks }, stop.signal, events);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
  }
}

/** Tells the first run and the first publication at length, and the others as a worker does. */
function verboseUntilFirstRun(
  config: Config,
  { churn }: DemoOptions,
  others: WorkerEvents,
  onFirst: () => void,
): WorkerEvents {
  let [runs, publications] = [0, 0];
  return {
    onServing: (url) => void process.stdout.write(`see how it goes, in a browser: ${url}/\n\n`),
    onRun: (summary) => {
      runs++;
      if (runs > 1) others.onRun(summary);
      else {
        onFirst();
        process.stdout.write(inWords(summary, config));
      }
    },
    onPublished: (publication) => {
      publications++;
      if (publications > 1) others.onPublished(publication);
      else process.stdout.write(publishedLines(publication) + queries(config) + followed(churn));
    },
  };
}

function followed(churn: number): string {
  const changes = churn > 0 ? `the account changes ${churn} times a minute` : 'the account stands still';
  return `\n${changes}; the worker looks every 20 s (Ctrl-C ends it)\n\n`;
}

/** How often the account had changed when it was last read: it is made up anew, and changes in the same way each time. */
function replayedChanges(warehouse: string): number {
  try {
    const details = openPageQueries(warehouse);
    const changes = details.stamp().change_seq - VIDEOS;
    details.close();
    return Math.max(0, changes);
  } catch {
    return 0; // of an older version, which the worker brings up to date, or none of ours, which it refuses
  }
}

/** What an earlier demo published, whose warehouse is gone, would not be replaced. */
function removeStalePublishedFile(file: string): void {
  assertOurFile(file);
  rmSync(file, { force: true });
}

function queries({ warehouse, server }: Config): string {
  const file = displayPath(publishedBeside(warehouse));
  const newest =
    'select video_id, title, package_name from bi_videos where is_removed = 0 order by video_id desc limit 5';
  const growth =
    'select month_start, round(max(total_gib), 1) as gib from bi_storage_daily group by month_start';
  const serves = server !== null && server.port > 0;
  return [
    '',
    `the file to query is ${file}, made anew after each run that changed something; try:`,
    `  sqlite3 -box ${file} "${newest}"`,
    `  sqlite3 -box ${file} "${growth}"`,
    `  sqlite3 -box ${file} "select column_name, data_type, description from dictionary where table_name = 'videos' order by position"`,
    ...(serves ? clientLines(server.port) : []),
    '',
  ].join('\n');
}

function clientLines(port: number): string[] {
  const url = `http://127.0.0.1:${port}`;
  return [
    '',
    `clients of the account can ask ${url} instead, and are answered from the warehouse; try:`,
    `  curl -G '${url}/info/v1/videos.json' -d pkg=101 -d pagesize=2 -d search_item=title --data-urlencode keyword=특강`,
  ];
}

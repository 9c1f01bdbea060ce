import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { openOwnSchedules } from '../../app/own-schedules.ts';
import { openPipeline } from '../../app/pipeline.ts';
import { runWorker } from '../../app/worker.ts';
import { shellQuote } from '../../lib/shell-command.ts';
import { startTicks } from '../../app/scheduler.ts';
import { InterruptedError } from '../../lib/errors.ts';
import { assertCanListen } from '../../web/listen-check.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import {
  createLogContext,
  openCommandContext,
  type CommandContext,
  type ConfigOptions,
  type LogOptions,
} from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { asTyped, displayPath } from '../output/output.ts';
import { publishResultText } from '../output/publication-text.ts';
import { readFullRun, runText } from '../output/run-text.ts';
import { exitCodeForSync, publishAfterRun } from '../after-run.ts';
import { abortOnSignal } from '../signals.ts';
import {
  createPastClock,
  makePast,
  PACKAGES,
  removeEarlierDemo,
  startOfPast,
  TIMEZONE,
  writeDemoConfig,
} from './demo-past.ts';
import { logWorkerEvents } from './start.ts';

export interface DemoOptions extends LogOptions {
  once?: true;
  file: string;
  /** Videos of the account that change per minute. */
  churn: number;
}

/** The port of the pages, unless another process listens at it. */
const DEFAULT_PORT = 8320;
/** How long the sandbox takes to answer, in milliseconds; only by the clock of the past. */
const ANSWER_MS = 400;

/**
 * `vodhouse demo`: a sandbox account over real HTTP, a new warehouse with a past, and the status page.
 * Returns the exit code.
 */
export async function demo(options: DemoOptions): Promise<number> {
  const warehouse = resolve(options.file);
  removeEarlierDemo(warehouse);
  const startMs = startOfPast();
  const clock = createPastClock();
  const sandbox = createSandbox({
    clock,
    timezone: TIMEZONE,
    packages: PACKAGES,
    newestMs: startMs,
    answerMs: ANSWER_MS,
    churnPerMinute: options.once ? 0 : options.churn,
  });
  const { url } = await sandbox.listen({});
  const listening = assertCanListen({ host: '127.0.0.1', port: DEFAULT_PORT }, null);
  const port = await listening.then(
    () => DEFAULT_PORT,
    () => 0, // any free port
  );
  const config = writeDemoConfig(warehouse, { url, key: sandbox.key, port, isRunning: !options.once });
  const command = { ...options, config: displayPath(config.file) };
  const context = { ...openCommandContext('demo', command, config.secrets), isDemo: true };
  const { signal } = abortOnSignal(undefined, context.line);
  try {
    process.stdout.write(`sandbox account at ${url}; creating the warehouse ${displayPath(warehouse)}\n`);
    context.announce('making up a past …');
    process.stdout.write(await makePast({ config, sandbox, clock, startMs, context, signal }));
    if (options.once) return await syncOnce(config, context, signal);
    context.close();
    await runDemoWorker(config, signal, command);
    process.stdout.write(`\nstopped; the warehouse is kept: ${displayPath(warehouse)}\n`);
    return EXIT.done;
  } finally {
    context.close();
    await sandbox.close();
  }
}

async function syncOnce(config: Config, context: CommandContext, signal: AbortSignal): Promise<number> {
  const pipeline = openPipeline(config, context);
  try {
    const { selectForFullRun } = openOwnSchedules(config, pipeline.warehouse); // as a worker selects
    const summary = await pipeline.run({
      trigger: 'manual',
      takesPart: selectForFullRun(Date.now()),
      signal,
    });
    const published = await publishAfterRun(pipeline, context, signal);
    context.close();
    const { formatCommand } = context;
    const run = runText(readFullRun(pipeline.warehouse.db, summary, config, formatCommand), formatCommand);
    process.stdout.write(
      `\n${run}${publishResultText(published, formatCommand)}${demoExamples(config, false)}`,
    );
    return exitCodeForSync(summary.status, published);
  } finally {
    pipeline.close();
  }
}

/** Runs a worker with its pages until the signal. After the first publication it prints what to try. */
async function runDemoWorker(config: Config, signal: AbortSignal, options: ConfigOptions): Promise<void> {
  const context = createLogContext('demo', options, config.secrets, 'none');
  const events = logWorkerEvents(context.logger);
  let isFirst = true;
  const onServing = (url: string) => void process.stdout.write(`watch it in a browser: ${url}/\n\n`);
  const onPublished: typeof events.onPublished = (publication) => {
    events.onPublished(publication);
    if (isFirst) process.stdout.write(`${demoExamples(config, true)}\nCtrl-C stops it\n\n`);
    isFirst = false;
  };
  try {
    const everySecond = (onTick: () => Promise<void>) => startTicks('* * * * * *', onTick);
    const environment = { ...context, isDemo: true, startTicks: everySecond };
    await runWorker(config, environment, signal, { ...events, onServing, onPublished });
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
  }
}

const QUERIES = [
  'select video_id, title, package_name from videos order by video_id desc limit 5',
  'select month_start, round(sum(total_gib), 1) as gib from storage_daily join dates using (day) ' +
    'where is_month_end group by month_start',
  "select column_name, data_type, description from dictionary where table_name = 'videos' order by position",
];

/** Commands to try. `isRunning`: also those that send requests, because the sandbox still answers. */
function demoExamples({ file, publish }: Config, isRunning: boolean): string {
  const [config, published] = [shellQuote(displayPath(file)), displayPath(publish?.file ?? '')];
  const queries = QUERIES.map((sql) => `query --file ${shellQuote(published)} "${sql}"`);
  const commands = ['status', 'runs', 'plan', ...(isRunning ? ['check', 'sync'] : [])];
  const format = (words: string) => `  ${asTyped(`vodhouse ${words}`)}`;
  return [
    `\nquery ${published}, which is rebuilt after each run that changed something:`,
    ...queries.map(format),
    `\nother commands work with the config ${config}${isRunning ? ', in another terminal' : ''}:`,
    ...commands.map((words) => format(`${words} --config ${config}`)),
    '',
  ].join('\n');
}

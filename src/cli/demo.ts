import { existsSync, rmSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { createCalendar } from '../lib/calendar.ts';
import { addDays } from '../lib/days.ts';
import { InterruptedError } from '../lib/errors.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { refuseForeign } from '../warehouse/publishing/swap.ts';
import { openPipeline, work } from '../worker.ts';
import { EXIT } from './exit.ts';
import { freePort } from './free-port.ts';
import { readLeftBack } from './held-back.ts';
import { exitOfSync, publishAfterRun, publishedLines } from './publish.ts';
import { openSession, openWorkerSession, type LogOptions, type Session } from './session.ts';
import { eventsInto } from './start.ts';
import { createStop, type Stop } from './stop.ts';
import { summaryText } from './summary.ts';
import { namesOf } from './sync.ts';
import { shown } from './words.ts';

export interface DemoOptions extends LogOptions {
  once?: true;
  file: string;
}

const TIMEZONE = 'Asia/Seoul';
const NAMES = ['Lectures', 'Campaigns', 'Archive (empty)'];
const CHURN_PER_MINUTE = 60;
const STORAGE_DAYS = 400;
const DEFAULT_PORT = 8320;

/** `vodhouse demo`: a made-up account over real HTTP, synced into a real file. Gives the exit code. */
export async function demo(options: DemoOptions): Promise<number> {
  const stop = createStop();
  const sandbox = createSandbox({
    clock: { now: () => Date.now(), sleep: () => Promise.resolve() },
    timezone: TIMEZONE,
    churnPerMinute: options.once ? 0 : CHURN_PER_MINUTE,
  });
  const { url } = await sandbox.listen({});
  const port = options.once ? 0 : await freePort(DEFAULT_PORT);
  const config = demoConfig(resolve(options.file), url, sandbox, port);
  const session = openSession('demo', options, config.secrets);
  try {
    const isKnown = existsSync(config.warehouse);
    if (!isKnown) forgetPublished(publishedBeside(config.warehouse));
    const words = isKnown ? 'going on with' : 'making';
    process.stdout.write(`a made-up account answers at ${url}; ${words} ${shown(config.warehouse)}\n\n`);
    const code = await syncOnce(config, session, stop);
    if (options.once || code !== EXIT.done) return code;
    await keepOn(config, openWorkerSession('demo', options, config.secrets), stop);
    process.stdout.write(`\nstopped; the warehouse stays: ${shown(config.warehouse)}\n`);
    return EXIT.done;
  } finally {
    session.close();
    await sandbox.close();
  }
}

async function syncOnce(config: Config, session: Session, stop: Stop): Promise<number> {
  const pipeline = openPipeline(config, session);
  try {
    const summary = await pipeline.run({ trigger: 'manual', signal: stop.signal });
    const published = await publishAfterRun(pipeline, session, stop.signal);
    session.close();
    const leftBack = readLeftBack(config.warehouse, summary.walks, false, null);
    const options = { names: namesOf(config), leftBack, columns: process.stdout.columns };
    process.stdout.write(summaryText(summary, options) + publishedLines(published));
    process.stdout.write(queries(publishedBeside(config.warehouse)));
    return exitOfSync(summary.status, published);
  } finally {
    await pipeline.close();
  }
}

/** From here on a worker keeps the file in step with an account that changes. */
async function keepOn(config: Config, session: Session, stop: Stop): Promise<void> {
  process.stdout.write(
    `\nthe account now changes ${CHURN_PER_MINUTE} times a minute; a worker follows it every minute (Ctrl-C ends it)\n\n`,
  );
  try {
    const events = eventsInto(session.logger);
    const onServing = (url: string) => void process.stdout.write(servedWords(url, config));
    await work(config, session, stop.signal, { ...events, onServing });
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
  }
}

function demoConfig(warehouse: string, url: string, sandbox: Sandbox, port: number): Config {
  const since = addDays(createCalendar(TIMEZONE).dayAt(Date.now()), -STORAGE_DAYS);
  return {
    file: 'demo',
    warehouse,
    timezone: TIMEZONE,
    durationUnit: 'ms',
    accounts: [
      {
        name: 'demo',
        videoList: { baseUrl: url, key: sandbox.key, pageSize: 250 },
        storage: {
          baseUrl: url,
          auth: 'none',
          key: sandbox.key,
          since,
          settleMs: 3_600_000,
          lookAgainDays: 3,
          giveUpDays: 7,
        },
        packages: sandbox.packageIds.map((id, index) => ({ id, name: NAMES[index] ?? null })),
        limits: {
          concurrency: 4,
          perSecond: 20,
          perMinute: 600,
          perDay: null,
          maxWaitMs: 120_000,
          restrictedCodes: [],
          finalCodes: [],
        },
      },
    ],
    schedule: { full: '* * * * *', quick: null },
    walk: { removalBrake: 0.2, resumeWithinMs: 7 * 86_400_000, boundaryReads: 0.05 },
    publish: { file: publishedBeside(warehouse), exclude: ['access_key', 'org_access_key'], keepDays: 0 },
    retention: { requestsDays: 35, runsDays: 90 },
    server: { host: '127.0.0.1', port, keys: [] },
    notify: null,
    secrets: [sandbox.key],
  };
}

/** What an earlier demo published, whose warehouse is gone, would not be replaced. */
function forgetPublished(file: string): void {
  refuseForeign(file);
  rmSync(file, { force: true });
}

/** `data/demo.bi.db` for `data/demo.db`. */
function publishedBeside(warehouse: string): string {
  const { dir, name, ext } = parse(warehouse);
  return join(dir, `${name}.bi${ext}`);
}

function servedWords(url: string, { accounts }: Config): string {
  const packageId = accounts[0]?.packages[0]?.id ?? 0;
  return [
    `clients of the account can ask ${url} instead, and are answered from the warehouse; try:`,
    `  curl -G '${url}/info/v1/videos.json' -d pkg=${packageId} -d pagesize=2 -d search_item=title --data-urlencode keyword=강의`,
    `  curl '${url}/readyz'`,
    '',
    '',
  ].join('\n');
}

function queries(published: string): string {
  const file = shown(published);
  const newest =
    'select video_id, title, package_name from bi_videos where is_removed = 0 order by video_id desc limit 5';
  const growth =
    'select month_start, round(max(total_gib), 1) as gib from bi_storage_daily group by month_start';
  return [
    '',
    `the file to query is ${file}, made anew after each run that changed something; try:`,
    `  sqlite3 -box ${file} "${newest}"`,
    `  sqlite3 -box ${file} "${growth}"`,
    `  sqlite3 -box ${file} "select column_name, data_type, description from dictionary where table_name = 'videos' order by position"`,
    '',
  ].join('\n');
}

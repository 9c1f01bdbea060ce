import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { addDays, createCalendar } from '../lib/calendar.ts';
import { InterruptedError } from '../lib/errors.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { openPipeline, work } from '../worker.ts';
import { EXIT, exitOfRun } from './exit.ts';
import { readLeftBack } from './held-back.ts';
import { openSession, openWorkerSession, type LogOptions, type Session } from './session.ts';
import { logRun } from './start.ts';
import { createStop, type Stop } from './stop.ts';
import { summaryText } from './summary.ts';
import { namesOf } from './sync.ts';

export interface DemoOptions extends LogOptions {
  once?: true;
  file: string;
}

const TIMEZONE = 'Asia/Seoul';
const NAMES = ['Lectures', 'Campaigns', 'Archive (empty)'];
const CHURN_PER_MINUTE = 60;
const STORAGE_DAYS = 400;

/** `vodhouse demo`: a made-up account over real HTTP, synced into a real file. Gives the exit code. */
export async function demo(options: DemoOptions): Promise<number> {
  const stop = createStop();
  const sandbox = createSandbox({
    clock: { now: () => Date.now(), sleep: () => Promise.resolve() },
    timezone: TIMEZONE,
    churnPerMinute: options.once ? 0 : CHURN_PER_MINUTE,
  });
  const { url } = await sandbox.listen({});
  const config = demoConfig(resolve(options.file), url, sandbox);
  const session = openSession('demo', options, config.secrets);
  try {
    const isKnown = existsSync(config.warehouse);
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
    session.close();
    const leftBack = readLeftBack(config.warehouse, summary.walks, false, null);
    const options = { names: namesOf(config), leftBack, columns: process.stdout.columns };
    process.stdout.write(summaryText(summary, options));
    process.stdout.write(queries(config.warehouse));
    return exitOfRun(summary.status);
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
    await work(config, session, stop.signal, (summary) => logRun(session.logger, summary));
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
  }
}

function demoConfig(warehouse: string, url: string, sandbox: Sandbox): Config {
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
    publish: null,
    retention: { requestsDays: 35, runsDays: 90 },
    server: null,
    notify: null,
    secrets: [sandbox.key],
  };
}

function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}

function queries(warehouse: string): string {
  const file = shown(warehouse);
  const newest =
    'select id, title, series, cdate from video where removed_at is null order by id desc limit 5';
  const growth =
    'select substr(date, 1, 7) as month, max(mov_org_size + encoder_size) / 1e9 as gb from storage_day group by month';
  return [
    '',
    `the warehouse is ${file}; try:`,
    `  sqlite3 -box ${file} "${newest}"`,
    `  sqlite3 -box ${file} "${growth}"`,
    '',
  ].join('\n');
}

/** The config of the demo. */
import { join, parse } from 'node:path';
import { configSchema, type Config } from '../../config/config.ts';
import { DEFAULT_CONFIG } from '../../health/commands.ts';
import { NO_PROXIES } from '../../lib/http/proxy.ts';
import { HOUR_MS } from '../../lib/clock.ts';
import { listPostgresSecrets } from '../../lib/postgres-url.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { addDays } from '../../lib/days.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { DEMO_SCHEMA } from '../demo-target.ts';

export const TIMEZONE = 'Asia/Seoul';

/** The packages of the sandbox account, with the number of videos that each starts with. */
export const PACKAGES = [
  { id: 101, name: 'Lectures', videos: 1_000 },
  { id: 102, name: 'Campaigns', videos: 240 },
  { id: 103, name: 'Archive (empty)', videos: 0 },
  { id: 104, name: 'Webinars', videos: 360 },
  { id: 105, name: 'Product tours', videos: 120 },
] as const;
export const PACKAGE_IDS = PACKAGES.map(({ id }) => id);
export const [CAMPAIGNS, WEBINARS, TOURS] = [102, 104, 105] as const;

const STORAGE_DAYS = 400;

/**
 * More often than a config file may ask for. The first tick is as late as possible, so that the first load
 * is not preempted.
 */
function every20s(now: number): string {
  const second = new Date(now).getUTCSeconds();
  const seconds = [0, 20, 40].map((later) => (second + later) % 60).sort((one, other) => one - other);
  return `${seconds.join(',')} * * * * *`;
}

/**
 * Once a day, at the minute of two hours ago. By it a removal that is held back stays so for a day: a visitor sees it.
 */
function daily(now: number): string {
  const tick = new Date(now - 2 * HOUR_MS);
  return `${tick.getUTCMinutes()} ${tick.getUTCHours()} * * *`;
}

/** The sandbox answers at `url`; the web server listens on `port` (0: any free port); the tables go to `postgres` too. */
export function demoConfig(
  warehouse: string,
  url: string,
  { key }: Pick<Sandbox, 'key'>,
  port: number,
  postgres?: string,
): Config {
  const now = Date.now();
  const since = addDays(createCalendar(TIMEZONE).dayAt(now), -STORAGE_DAYS);
  const targets = postgres === undefined ? [] : [{ name: 'demo', postgres, schema: DEMO_SCHEMA }];
  const settings = configSchema.parse({
    warehouse,
    timezone: TIMEZONE,
    accounts: [
      {
        name: 'demo',
        video_list: { base_url: url, key, page_size: 250 },
        storage: { base_url: url, since, settle: '0s' }, // the sandbox's past days never change
        packages: PACKAGES.map(({ id, name }) => ({
          ...{ id, name },
          ...(id === CAMPAIGNS ? { schedule: { full: daily(now) } } : {}),
        })),
        limits: { per_second: 20, per_minute: 600, per_day: null },
      },
    ],
    schedule: { timezone: 'UTC' }, // that of `daily`
    publish: { file: getPublishedFile(warehouse), targets },
    server: { port },
  });
  const passwords = postgres === undefined ? [] : listPostgresSecrets(postgres);
  const schedule = { ...settings.schedule, full: every20s(now) };
  return { ...settings, schedule, file: DEFAULT_CONFIG, proxies: NO_PROXIES, secrets: [key, ...passwords] };
}

/** `data/demo.bi.db` for `data/demo.db`. */
export function getPublishedFile(warehouse: string): string {
  const { dir, name, ext } = parse(warehouse);
  return join(dir, `${name}.bi${ext}`);
}

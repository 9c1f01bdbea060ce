/** The config of the demo. */
import { join, parse } from 'node:path';
import type { Config } from '../../config/config.ts';
import { DEFAULT_CONFIG } from '../../health/commands.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts';
import { addDays } from '../../lib/days.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

export const TIMEZONE = 'Asia/Seoul';
const NAMES = ['Lectures', 'Campaigns', 'Archive (empty)'];
const STORAGE_DAYS = 400;

/**
 * More often than a config file may ask for. The first tick is as far away as possible: the first load need not give way to
 * it.
 */
function every20s(now: number): string {
  const second = new Date(now).getUTCSeconds();
  const seconds = [0, 20, 40].map((later) => (second + later) % 60).sort((one, other) => one - other);
  return `${seconds.join(',')} * * * * *`;
}

const LIMITS = {
  concurrency: 4,
  perSecond: 20,
  perMinute: 600,
  perDay: null,
  maxWaitMs: 120_000,
  restrictedCodes: [],
  finalCodes: [],
};

/** The sandbox answers at `url`; the web server listens on `port` (0: any free port). */
export function demoConfig(warehouse: string, url: string, sandbox: Sandbox, port: number): Config {
  const now = Date.now();
  return {
    file: DEFAULT_CONFIG,
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
          since: addDays(createCalendar(TIMEZONE).dayAt(now), -STORAGE_DAYS),
          settleMs: HOUR_MS,
          lookAgainDays: 3,
          giveUpDays: 7,
          optional: [],
          plausibleFactor: 2,
        },
        packages: sandbox.packageIds.map((id, index) => ({ id, name: NAMES[index] ?? null })),
        limits: LIMITS,
      },
    ],
    schedule: { full: every20s(now), quick: null },
    walk: { removalBrake: 0.2, resumeWithinMs: 7 * DAY_MS, boundaryReads: 0.05 },
    publish: {
      file: getPublishedFile(warehouse),
      exclude: ['access_key', 'org_access_key'],
      everyMs: 0,
      keepDays: 0,
    },
    retention: { requestsDays: 35, runsDays: 90 },
    server: { host: '127.0.0.1', port, keys: [] },
    notify: null,
    secrets: [sandbox.key],
  };
}

/** `data/demo.bi.db` for `data/demo.db`. */
export function getPublishedFile(warehouse: string): string {
  const { dir, name, ext } = parse(warehouse);
  return join(dir, `${name}.bi${ext}`);
}

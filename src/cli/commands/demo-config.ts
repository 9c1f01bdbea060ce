/** What the demo works with in place of a config file. */
import { join, parse } from 'node:path';
import type { Config } from '../../config/config.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { addDays } from '../../lib/days.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { DEFAULT_CONFIG } from '../../health/commands.ts';

export const TIMEZONE = 'Asia/Seoul';
const NAMES = ['Lectures', 'Campaigns', 'Archive (empty)'];
const STORAGE_DAYS = 400;

/**
 * Every 20 seconds, which a config file may not ask for: whoever looks should not have to wait. The first tick after the
 * start is as far away as can be, so that the first load need not give way to it.
 */
function every20s(now: number): string {
  const second = new Date(now).getUTCSeconds();
  const seconds = [0, 20, 40].map((later) => (second + later) % 60).sort((one, other) => one - other);
  return `${seconds.join(',')} * * * * *`;
}

/** Nobody is annoyed by the made-up account being asked often. */
const LIMITS = {
  concurrency: 4,
  perSecond: 20,
  perMinute: 600,
  perDay: null,
  maxWaitMs: 120_000,
  restrictedCodes: [],
  finalCodes: [],
};

/** The config of the demo: an account that is answered at `url`, and a page at `port` (0: any free one). */
export function demoConfig(warehouse: string, url: string, sandbox: Sandbox, port: number): Config {
  const since = addDays(createCalendar(TIMEZONE).dayAt(Date.now()), -STORAGE_DAYS);
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
          since,
          settleMs: 3_600_000,
          lookAgainDays: 3,
          giveUpDays: 7,
          optional: [],
          plausibleFactor: 2,
        },
        packages: sandbox.packageIds.map((id, index) => ({ id, name: NAMES[index] ?? null })),
        limits: LIMITS,
      },
    ],
    schedule: { full: every20s(Date.now()), quick: null },
    walk: { removalBrake: 0.2, resumeWithinMs: 7 * 86_400_000, boundaryReads: 0.05 },
    publish: {
      file: publishedBeside(warehouse),
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
export function publishedBeside(warehouse: string): string {
  const { dir, name, ext } = parse(warehouse);
  return join(dir, `${name}.bi${ext}`);
}

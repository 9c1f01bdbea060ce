/** The files of the demo: its config, the warehouse, and the published file. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { getDemoConfig } from '../../app/configured-warehouse.ts';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/config.ts';
import { openForCopy } from '../../database/connection.ts';
import { lockOrThrow } from '../../database/lock.ts';
import { createPrivateFolder } from '../../database/files.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { HOUR_MS } from '../../lib/clock.ts';
import { addDays } from '../../lib/days.ts';
import { ConfigError } from '../../lib/errors.ts';
import { isDemoFile } from '../../warehouse/statements/warehouse-state.ts';
import { displayPath } from '../output/output.ts';

export const TIMEZONE = 'Asia/Seoul';

/** The packages of the sandbox account, with the number of videos that each starts with. */
export const PACKAGES = [
  { id: 101, name: 'Lectures', videos: 1_000 },
  { id: 102, name: 'Campaigns', videos: 240 },
  { id: 103, name: 'Archive (empty)', videos: 0 },
  { id: 104, name: 'Webinars', videos: 360 },
  { id: 105, name: 'Product tours', videos: 120 },
] as const;
export const [CAMPAIGNS, WEBINARS, TOURS] = [102, 104, 105] as const;

/** The first line of the config: another file of this name is not replaced. */
const MARKER = '# Written by vodhouse demo at each start. The account answers while the demo runs.\n';

/**
 * Writes the config of the demo next to its warehouse, and returns it with more frequent runs. The sandbox answers at `url`; the
 * web server listens on `port`. Where no worker is running, hourly runs keep `status` from calling it stale at once.
 */
export function writeDemoConfig(
  warehouse: string,
  { url, key, port, isRunning }: { url: string; key: string; port: number; isRunning: boolean },
): Config {
  const now = Date.now();
  const tick = new Date(now - 2 * HOUR_MS);
  const daily = `${tick.getUTCMinutes()} ${tick.getUTCHours()} * * *`; // a removal that is held back stays so for a day
  const packages = PACKAGES.map(
    ({ id, name }) =>
      `      - { id: ${id}, name: ${name}${id === CAMPAIGNS ? `, schedule: "${daily}"` : ''} }\n`,
  );
  const file = getDemoConfig(warehouse);
  createPrivateFolder(dirname(file), file);
  const text = `${MARKER}warehouse: ${JSON.stringify(parse(warehouse).base)}
timezone: ${TIMEZONE}
accounts:
  - name: demo
    video_list: { base_url: "${url}", key: ${key}, page_size: 250 }
    storage: { base_url: "${url}", since: ${addDays(createCalendar(TIMEZONE).dayAt(now), -400)}, settle: 0s }
    proxy: none
    packages:
${packages.join('')}    limits: { per_second: 20, per_minute: 600, per_day: null }
schedule: { timezone: UTC, full: "${isRunning ? '* * * * *' : '@hourly'}" }
publish: { file: ${JSON.stringify(parse(getPublishedFile(warehouse)).base)} }
server: { port: ${port} }
`;
  writeFileSync(file, text, { mode: 0o600 });
  const config = loadConfig(file);
  // more often than a config file may ask for; the first tick is as late as possible, so that it does not preempt the first load
  const seconds = [0, 20, 40].map((later) => (new Date(now).getUTCSeconds() + later) % 60);
  return { ...config, schedule: { ...config.schedule, full: `${seconds.join(',')} * * * * *` } };
}

/** Removes the warehouse and the published file of an earlier demo. Throws ConfigError where a file of these names is not of a demo, and LockedError where one runs. */
export function removeEarlierDemo(warehouse: string): void {
  const [config, published] = [getDemoConfig(warehouse), getPublishedFile(warehouse)];
  const isOurs = existsSync(config) && readFileSync(config, 'utf8').startsWith(MARKER);
  const foreign = [config, warehouse, published].find((file) =>
    isOurs ? file === warehouse && existsSync(file) && !isDemo(file) : existsSync(file),
  );
  if (foreign !== undefined)
    throw new ConfigError(
      `${displayPath(foreign)} exists, and vodhouse demo did not make it; nothing was changed`,
      { hint: 'name another file: vodhouse demo --file data/new-demo.db' },
    );
  if (existsSync(warehouse)) lockOrThrow(warehouse, 'worker', 'demo', Date.now()).release(); // another demo would lose its file
  for (const file of [warehouse, `${warehouse}-wal`, `${warehouse}-shm`, published])
    rmSync(file, { force: true });
}

/** Reads a file of any version, and changes none. */
function isDemo(warehouse: string): boolean {
  const db = openForCopy(warehouse);
  try {
    return isDemoFile(db);
  } finally {
    db.$client.close();
  }
}

/** `data/demo.bi.db` for `data/demo.db`. */
function getPublishedFile(warehouse: string): string {
  const { dir, name, ext } = parse(warehouse);
  return join(dir, `${name}.bi${ext}`);
}

/** An account with all difficult values, synced over HTTP into a live file, and published. */
import { FIGURES } from '../../src/lib/service-fields.ts';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../src/config/config.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createPublisher } from '../../src/publishing/publisher.ts';
import { createStorageConfig, createTestConfig } from '../support/fixtures/test-config.ts';
import { listPage, STORAGE, storageBody } from '../support/fixtures/service-responses.ts';
import type { DayRow } from '../../src/warehouse/statements/storage.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { listenOnLoopback } from '../support/servers/loopback.ts';
import { createHardService, type HardService } from './hard-service.ts';
import { silentProgress } from '../../src/sync/context.ts';
import { openPipeline } from '../../src/app/pipeline.ts';

export const TIMEZONE = 'Asia/Seoul';
/** The day of the last publication. */
export const TODAY = '2026-03-16';

export interface HardAccount {
  /** The live file. */
  live: string;
  /** The published file, in a separate folder in which readers may not write. */
  file: string;
  /** The folder of the driver scripts, for a user who cannot read this checkout. */
  scripts: string;
  service: HardService;
  /** One run at the moment, and a publication. */
  syncAndPublish(moment: string): Promise<void>;
  close(): Promise<void>;
}

/** Runs on four days, with changes of the service between them; published after the last. */
export async function openHardAccount(): Promise<HardAccount> {
  const account = await openAccount();
  await account.sync('2026-03-08T03:00:00Z');
  account.service.edit();
  await account.sync('2026-03-09T03:00:00Z');
  account.service.editAgain();
  await account.sync('2026-03-10T03:00:00Z', [101, 102]);
  await account.sync('2026-03-10T09:30:15Z', [101, 102]);
  await correct(account.live);
  await account.syncAndPublish(`${TODAY}T03:00:00Z`);
  return account;
}

/** A user corrects the figures of a booked day. */
async function correct(live: string): Promise<void> {
  const warehouse = openWarehouse(live, createVirtualClock('2026-03-10T10:00:00Z'));
  const day = warehouse.findBookedDay('main', '2026-03-06');
  const row = { ...day?.booked, date: '2026-03-06', image_size: 77 } as DayRow;
  warehouse.correctDay({
    account: 'main',
    row,
    acceptedAt: Date.parse('2026-03-10T10:00:00Z'),
    reason: 'x',
  });
  warehouse.close();
}

async function openAccount() {
  const folder = mkdtempSync(join(tmpdir(), 'vodhouse-drivers-'));
  const [shown, scripts] = [join(folder, 'shown'), join(folder, 'scripts')];
  mkdirSync(shown);
  chmodSync(folder, 0o755);
  cpSync(fileURLToPath(new URL('.', import.meta.url)), scripts, { recursive: true });
  chmodSync(scripts, 0o755);
  const [live, file] = [join(folder, 'live.db'), join(shown, 'vodhouse.bi.db')];
  const service = createHardService();
  let now: string | null = null;
  const server = await serveHard(service, () => now);
  const sync = (moment: string, packages = [101, 102, 103]) => {
    now = moment;
    return run(configFor(server.url, live, packages), moment);
  };
  return {
    live,
    file,
    scripts,
    service,
    sync,
    syncAndPublish: async (moment: string) => {
      await sync(moment, [101, 102]);
      chmodSync(shown, 0o755);
      await createTestPublisher(live, file).publish(Date.parse(moment), new AbortController().signal);
      chmodSync(shown, 0o555); // also where the tests and the readers run as one user
    },
    close: async () => {
      await server.close();
      chmodSync(shown, 0o755);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const createTestPublisher = (live: string, file: string) =>
  createPublisher({
    live,
    file,
    exclude: ['access_key', 'org_access_key'],
    timezone: TIMEZONE,
    durationUnit: 'ms',
    storageAccounts: ['main'],
    version: 'test',
    command: 'test',
  });

async function run(config: Config, moment: string): Promise<void> {
  const clock = createVirtualClock(moment);
  const write = (line: string) => process.stderr.write(line);
  const logger = createLogger({ level: 'error', format: 'text', secrets: [], write });
  const pipeline = openPipeline(config, { clock, logger, progress: silentProgress, command: 'test' });
  try {
    await pipeline.run({ trigger: 'manual', signal: new AbortController().signal });
  } finally {
    await pipeline.close();
  }
}

const NAMES: Record<number, string> = { 102: `강의 "📼" O'Brien` };

function configFor(url: string, live: string, packages: readonly number[]): Config {
  const config = createTestConfig({ url }, live);
  const storage = createStorageConfig(url, { since: '2026-03-01', giveUpDays: 4, optional: FIGURES });
  const accounts = config.accounts.map((account) => ({
    ...account,
    storage,
    packages: packages.map((id) => ({ id, name: NAMES[id] ?? null })),
  }));
  return { ...config, accounts };
}

/** Serves the data of the service over loopback. `getTime`: the time of the test, for the `Date` of responses; null for none. */
export async function serveHard(
  service: HardService,
  getTime: () => string | null = () => null,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    response.sendDate = false; // of the machine's clock, which differs from that of the test
    const time = getTime();
    if (time !== null) response.setHeader('date', new Date(time).toUTCString());
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(createAnswer(service, request));
  });
  const { host, close } = await listenOnLoopback(server);
  return { url: `http://${host}`, close };
}

function createAnswer(service: HardService, { url = '/' }: IncomingMessage): string {
  const { pathname, searchParams: query } = new URL(url, 'http://service.test');
  if (pathname === STORAGE)
    return storageBody(service.days(query.get('sdate') ?? '', query.get('edate') ?? ''));
  const request = { query } as Parameters<typeof listPage>[0];
  return String(listPage(request, service.videos(Number(query.get('pkg')))).body);
}

/** An account with all difficult values, synced over HTTP into a live file, and published. */
import { FIGURES } from '../../src/service/service-fields.ts';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../src/config/config.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { publish } from '../../src/publishing/publish.ts';
import { createPublishRequest } from '../support/fixtures/published-file.ts';
import { createStorageConfig, createTestConfig } from '../support/fixtures/test-config.ts';
import { listPage, STORAGE, storageBody } from '../support/fixtures/service-responses.ts';
import type { DayRow } from '../../src/warehouse/statements/storage.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { serveScript } from '../support/servers/scripted-service.ts';
import { createHardService, type HardService } from './hard-service.ts';
import { silentProgress } from '../../src/sync/context.ts';
import { openPipeline } from '../../src/app/pipeline.ts';
import { findBookedDay, correctDay } from '../../src/warehouse/store-days.ts';
import { transact } from '../../src/database/transaction.ts';

/** The day of the last publication. */
export const TODAY = '2026-03-16';

export type HardAccount = Awaited<ReturnType<typeof openHardAccount>>;

/** Runs on four days, with changes of the service between them; published after the last. */
export async function openHardAccount() {
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
  const day = findBookedDay(warehouse.db, 'main', '2026-03-06');
  const row = { ...day?.booked, date: '2026-03-06', image_size: 77 } as DayRow;
  transact(warehouse.db, (tx) =>
    correctDay(tx, {
      account: 'main',
      row,
      acceptedAt: Date.parse('2026-03-10T10:00:00Z'),
      reason: 'x',
    }),
  );
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
    /** The published file, in a separate folder in which readers may not write. */
    file,
    /** The folder of the driver scripts, for a user who cannot read this checkout. */
    scripts,
    service,
    sync,
    /** One run at the moment, and a publication. */
    syncAndPublish: async (moment: string) => {
      await sync(moment, [101, 102]);
      chmodSync(shown, 0o755);
      await publish(createPublishRequest(live, { file, now: Date.parse(moment) }));
      chmodSync(shown, 0o555); // also where the tests and the readers run as one user
    },
    close: async () => {
      await server.close();
      chmodSync(shown, 0o755);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function run(config: Config, moment: string): Promise<void> {
  const clock = createVirtualClock(moment);
  const write = (line: string) => process.stderr.write(line);
  const logger = createLogger({ level: 'error', format: 'text', secrets: [], write });
  const pipeline = openPipeline(config, { clock, logger, progress: silentProgress, command: 'test' });
  try {
    await pipeline.run({ trigger: 'manual', signal: new AbortController().signal });
  } finally {
    pipeline.close();
  }
}

const NAMES: Record<number, string> = { 102: `강의 "📼" O'Brien` };

function configFor(url: string, live: string, packages: readonly number[]): Config {
  const config = createTestConfig({ url }, live);
  const rules = { giveUpDays: 4, optional: FIGURES, plausibleFactor: Infinity };
  const storage = createStorageConfig(url, { since: '2026-03-01', ...rules });
  const accounts = config.accounts.map((account) => ({
    ...account,
    storage,
    packages: packages.map((id) => ({ id, name: NAMES[id] ?? null })),
  }));
  return { ...config, accounts };
}

/** Serves the data of the service over loopback. `getTime`: the time of the test, for the `Date` of responses; null for none. */
export const serveHard = (service: HardService, getTime: () => string | null = () => null) =>
  serveScript((request) => {
    const { path, query } = request;
    const time = getTime();
    const answer =
      path === STORAGE
        ? { body: storageBody(service.days(query.get('sdate') ?? '', query.get('edate') ?? '')) }
        : listPage(request, service.videos(Number(query.get('pkg'))));
    return { ...answer, headers: time === null ? {} : { date: new Date(time).toUTCString() } };
  });

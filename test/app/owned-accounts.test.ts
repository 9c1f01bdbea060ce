import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findOwned } from '../../src/app/owned-accounts.ts';
import { openPipeline } from '../../src/app/pipeline.ts';
import type { Config } from '../../src/config/config.ts';
import { toTimestamp } from '../../src/lib/clock.ts';
import { LockedError } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { silentProgress } from '../../src/sync/context.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { openLakeSite } from '../support/fixtures/lake-site.ts';
import { execute, readRows } from '../support/fixtures/live-file.ts';
import { loadReport } from '../support/fixtures/load-report.ts';
import { START } from '../support/fixtures/open-pipeline.ts';
import { createTestConfig } from '../support/fixtures/test-config.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';

/** A lake that has the account `main` of another warehouse. */
async function openOwned() {
  const site = openLakeSite();
  site.register();
  await site.walk([1, 2]);
  await site.ship();
  return site;
}

/** The accounts `main` and, unless left out, `second` of a sandbox, in a live file of its own. */
async function open(site: Awaited<ReturnType<typeof openOwned>>, names = ['main', 'second']) {
  const clock = createVirtualClock(START);
  const { url } = await startSandbox({ clock });
  const live = join(temporaryFolder(), 'vodhouse.db');
  const base = createTestConfig({ url, packages: [101], pageSize: 100 }, live);
  const config: Config = {
    ...base,
    accounts: names.flatMap((name) =>
      base.accounts.map((account) => ({
        ...{ ...account, name },
        videoList: { ...account.videoList, key: 'sandbox-key' },
      })),
    ),
    publish: {
      ...{ file: `${live}.bi`, everyMs: 0, exclude: [] },
      targets: [site.config],
    },
  };
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const logger = createLogger({ level: 'warn', format: 'json', secrets: [], write });
  const pipeline = openPipeline(config, { clock, logger, progress: silentProgress, command: 'test' });
  onTestFinished(() => pipeline.close());
  return {
    ...{ live, lines },
    run: () => pipeline.run({ trigger: 'manual', signal: new AbortController().signal }),
  };
}

describe('a run', () => {
  it('leaves out an account that a target has from another warehouse, and syncs the others', async () => {
    const { run, lines } = await open(await openOwned());
    const summary = await run();
    expect(summary.failures).toMatchObject([{ account: 'main', kind: 'owned' }]);
    expect(summary.walks.map(({ account }) => account)).toEqual(['second']);
    const warnings = () => lines.filter(({ event }) => event === 'target_account_not_synced');
    expect(warnings()).toMatchObject([
      { account: 'main', hint: expect.stringContaining('--target lake --take-over main') as string },
    ]);
  });

  it('of which other warehouses have every account ends before a request', async () => {
    const { run, live } = await open(await openOwned(), ['main']);
    await expect(run()).rejects.toThrow(LockedError);
    expect(readRows(live, 'select * from run')).toEqual([]);
  });

  it('syncs every account where the target is missing, and says so', async () => {
    const site = await openOwned();
    renameSync(site.root, `${site.root}.away`);
    const { run, lines } = await open(site);
    const { failures, walks } = await run();
    expect([failures, walks.map(({ account }) => account).sort()]).toEqual([[], ['main', 'second']]);
    expect(lines).toMatchObject([{ event: 'target_not_reached', target: 'lake' }]);
  });
});

describe('an account', () => {
  const find = (site: Awaited<ReturnType<typeof openOwned>>, warehouse = site.warehouse) =>
    findOwned({
      config: {
        accounts: [{ name: 'main' }],
        publish: { targets: [site.config] },
      } as unknown as Config,
      warehouse,
      logger: createLogger({ level: 'silent', format: 'json', secrets: [], write: () => undefined }),
    });

  it('that this warehouse loaded is its own, and that of a copy once the copy has loaded it', async () => {
    const site = await openOwned();
    expect(await find(site)).toEqual(new Map());
    const copy = openLakeSite({ data: site.folder, place: site.root });
    await copy.walk([1, 2, 3]);
    await copy.ship();
    expect([...(await find(site)).values()]).toMatchObject([{ code: 'other_copy' }]);
    expect(await find(site, copy.warehouse)).toEqual(new Map());
  });

  it('stays its own however often the file is published while the target is down', async () => {
    const site = await openOwned();
    site.warehouse.recordLoadReports('lake', [loadReport()], site.clock.now());
    site.clock.advance(60_000);
    const later = `'${toTimestamp(site.clock.now())}'`;
    execute(
      site.live,
      `with recursive n(n) as (select 1 union all select n + 1 from n where n < 2000)
insert into publication (publication_id, published_at) select 'id ' || n, ${later} from n`,
    );
    await site.publish();
    expect(await find(site)).toEqual(new Map());
  });
});

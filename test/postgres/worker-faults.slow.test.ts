import { setTimeout } from 'node:timers/promises';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { publishedFact } from '../../src/publishing/about-rows.ts';
import { CONFIG, configText, WAREHOUSE } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { execute, readValue } from '../support/fixtures/live-file.ts';
import { findTargetDifferences } from '../support/fixtures/target-rows.ts';
import { eventually, startVodhouse, vodhouse } from '../support/processes/vodhouse-command.ts';
import { startSandbox } from '../support/servers/sandbox-account.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

vi.setConfig({ testTimeout: 180_000 });

const FILE = 'data/bi.db';

describe.skipIf(findPostgres() === null)('a worker', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  /** A folder whose account changes, and was loaded once; its next run is due at once. */
  async function createPlace() {
    const target = await server.createDatabase();
    const { url } = await startSandbox({ packages: [{ id: 101, videos: 50 }], churnPerMinute: 600 });
    const text = configText({ url, top: "schedule: { full: '0 * * * *' }" });
    const publish = `publish:\n  file: ${FILE}\n  targets: [{ name: bi, postgres: "${target}" }]\n`;
    const cwd = createFolder({ [CONFIG]: `${text}\n${publish}` });
    expect((await vodhouse(['sync'], { cwd })).code).toBeLessThan(4);
    return {
      cwd,
      /** The present state of the live file and of its published file. */
      live: () => Number(readValue(join(cwd, WAREHOUSE), 'select change_seq from warehouse_state')),
      published: () => Number(publishedFact(join(cwd, FILE), 'change_seq')),
      makeDue: () =>
        execute(
          join(cwd, WAREHOUSE),
          `update run set started_at = datetime(started_at, '-3 hours'), finished_at = datetime(finished_at, '-3 hours')`,
        ),
      differences: () => findTargetDifferences(join(cwd, FILE), { server, schema: 'vodhouse', url: target }),
    };
  }

  /** Starts the worker, which makes its run and its publication whatever its target does. */
  async function startDue(place: Awaited<ReturnType<typeof createPlace>>) {
    const before = place.live();
    place.makeDue();
    const worker = startVodhouse(['start'], place);
    await eventually(place.live).toBeGreaterThan(before);
    await eventually(place.published).toBeGreaterThan(before);
    return worker;
  }

  /** Ends it, also while it waits for the target. */
  async function stop(worker: ReturnType<typeof startVodhouse>): Promise<void> {
    const startedAt = performance.now();
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    expect((performance.now() - startedAt) / 1000).toBeLessThan(5);
  }

  it('makes its runs and publications while its target is frozen, ends within 5 s, and catches up later', async () => {
    const place = await createPlace();
    server.signal('SIGSTOP');
    onTestFinished(() => server.signal('SIGCONT'));
    const worker = await startDue(place);
    await eventually(worker.stderr).toContain('did not answer');
    await stop(worker);
    const claiming = startVodhouse(['start'], place);
    await eventually(() => existsSync(join(place.cwd, `${WAREHOUSE}.worker.holder`))).toBe(true);
    await setTimeout(500);
    await stop(claiming); // while it waits for its claims
    server.signal('SIGCONT');
    expect(await place.differences()).not.toEqual([]);
    const next = startVodhouse(['start'], place);
    await expect.poll(place.differences, { timeout: 30_000 }).toEqual([]);
    await stop(next);
  });

  it('does so while its target is down, and loads it when it is back', async () => {
    const place = await createPlace();
    await server.stop();
    const worker = await startDue(place);
    await eventually(worker.stderr).toContain(`nothing listens at 127.0.0.1:${server.port}`);
    await server.start();
    const config = readFileSync(join(place.cwd, CONFIG), 'utf8');
    writeFileSync(join(place.cwd, CONFIG), config.replace('name: bi', 'name: bi, load_timeout: 20m'));
    worker.kill('SIGHUP'); // or after a minute, by itself
    await expect.poll(place.differences, { timeout: 30_000 }).toEqual([]);
    await stop(worker);
  });
});

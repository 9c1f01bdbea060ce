import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { serviceFolder } from '../../support/fixtures/command-folder.ts';
import { listPage, serveEverything, videoRecord } from '../../support/fixtures/service-responses.ts';
import { createGate } from '../../support/servers/scripted-service.ts';
import { Database } from '../../../src/database/sqlite.ts';

vi.setConfig({ testTimeout: 60_000 });

const records = [1, 2, 3].map((id) => videoRecord(id));
const STATUS = 'select group_concat(status) from (select status from run order by run_id)';

/** A sync that waits for the response to its first page until the gate opens. */
async function startHeldSync() {
  const gate = createGate();
  let isHeld = false;
  const script = serveEverything(async (request) => {
    if (!isHeld) {
      isHeld = true;
      await gate.opened;
    }
    return listPage(request, records);
  });
  const folder = await serviceFolder(script, { storage: false });
  const first = folder.start('sync');
  await expect.poll(() => folder.service.requests.length).toBe(1);
  return { ...folder, gate, first };
}

describe('next to a sync that is under way', () => {
  it('another one ends with 75, names the running process, and sends nothing; with --wait it runs after it', async () => {
    const { run, start, value, gate, first, service } = await startHeldSync();
    const second = start('sync', '--wait');
    const { code, stdout, stderr } = await run('sync');
    expect([code, stdout]).toEqual([75, '']);
    expect(stderr).toContain(`vodhouse sync on ${hostname()}, pid ${first.pid}, since `);
    expect(stderr).toContain('-> vodhouse sync --wait waits for it');
    expect(service.requests).toHaveLength(1);
    gate.open();
    expect([(await first.ended).code, (await second.ended).code]).toEqual([0, 0]);
    expect(value(STATUS)).toBe('succeeded,succeeded');
  });

  it('after it is killed, the next one runs, and marks it as interrupted', async () => {
    const { run, succeed, value, first } = await startHeldSync();
    const status = async () => (await run('status')).stdout;
    expect(await status()).toContain('running');
    first.kill('SIGKILL');
    await first.ended;
    expect(await status()).toContain('interrupted');
    await succeed('sync');
    expect(value(STATUS)).toBe('interrupted,succeeded');
    expect(value('select count(*) from video')).toBe(3);
  });
});

it('next to a worker, another worker ends with 75, and sync runs', async () => {
  const script = serveEverything((request) => listPage(request, records));
  const { run, start, succeed } = await serviceFolder(script, { storage: false });
  const worker = start('start');
  await expect.poll(worker.stderr).toContain('next full run at');
  const second = await run('start');
  expect(second.code).toBe(75);
  expect(second.stderr).toContain(`vodhouse start on ${hostname()}, pid ${worker.pid}`);
  await succeed('sync');
  worker.kill('SIGTERM');
  expect((await worker.ended).code).toBe(0);
});

it('sync names who may have the file locked, and the run is closed as soon as it is free', async () => {
  let other: Database | undefined;
  const folder = await serviceFolder(
    serveEverything((request) => {
      other ??= new Database(folder.live).exec('begin immediate');
      return listPage(request, [videoRecord(1)]);
    }),
    { storage: false },
  );
  const command = folder.start('sync');
  await expect.poll(() => other?.inTransaction, { timeout: 10_000 }).toBe(true);
  await sleep(14_000); // longer than two statements wait
  other?.close();
  const { code, stderr } = await command.ended;
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`${folder.live}: the database is locked by another program`),
  ]);
  expect(stderr).toContain('-> close what writes to it, such as an open transaction in sqlite3');
  expect(folder.rows('select status, error from run')).toEqual([
    { status: 'failed', error: expect.stringContaining('locked by another program') as string },
  ]);
  expect((await folder.run('sync')).code).toBe(0);
});

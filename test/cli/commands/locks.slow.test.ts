import { hostname } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { createGate, startScriptedService } from '../../support/servers/scripted-service.ts';
import { listPage, videoRecord, serveEverything } from '../../support/fixtures/service-responses.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseRows, readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';

vi.setConfig({ testTimeout: 60_000 });

const records = [1, 2, 3].map((id) => videoRecord(id));

/** A sync that waits for the response to its first page until the gate opens. */
async function startHeldSync() {
  const gate = createGate();
  let held = false;
  const service = await startScriptedService(
    serveEverything(async (request) => {
      if (!held) {
        held = true;
        await gate.opened;
      }
      return listPage(request, records);
    }),
  );
  const cwd = createFolder({ [CONFIG]: configText({ url: service.url, storage: false }) });
  const first = startVodhouse(['sync'], { cwd });
  await eventually(() => service.requests.length).toBe(1);
  return { cwd, gate, first, service };
}

describe('next to a sync that is under way', () => {
  it('another one ends with 75, names the running process, and sends nothing', async () => {
    const { cwd, gate, first, service } = await startHeldSync();
    const { code, stdout, stderr } = await vodhouse(['sync'], { cwd });
    expect([code, stdout]).toEqual([75, '']);
    expect(stderr).toContain(`a run is under way: vodhouse sync on ${hostname()}, pid ${first.pid}, since `);
    expect(stderr).toContain('-> vodhouse sync --wait waits for it');
    expect(service.requests).toHaveLength(1);
    gate.open();
    expect((await first.ended).code).toBe(0);
  });

  it('another one with --wait runs after it', async () => {
    const { cwd, gate, first, service } = await startHeldSync();
    const second = startVodhouse(['sync', '--wait'], { cwd });
    const refused = await vodhouse(['sync'], { cwd });
    expect(refused.code).toBe(75);
    expect(service.requests).toHaveLength(1);
    gate.open();
    expect((await first.ended).code).toBe(0);
    expect((await second.ended).code).toBe(0);
    expect(readWarehouseRows(cwd, 'select status from run order by run_id')).toEqual([
      { status: 'succeeded' },
      { status: 'succeeded' },
    ]);
  });

  it('after it is killed, the next one runs, and marks it as interrupted', async () => {
    const { cwd, first } = await startHeldSync();
    first.kill('SIGKILL');
    await first.ended;
    const { code } = await vodhouse(['sync'], { cwd });
    expect(code).toBe(0);
    expect(readWarehouseRows(cwd, 'select status from run order by run_id')).toEqual([
      { status: 'interrupted' },
      { status: 'succeeded' },
    ]);
    expect(readWarehouseValue(cwd, 'select count(*) from video')).toBe(3);
  });
});

describe('next to a worker', () => {
  it('another worker ends with 75, and sync runs', async () => {
    const service = await startScriptedService(serveEverything((request) => listPage(request, records)));
    const cwd = createFolder({ [CONFIG]: configText({ url: service.url, storage: false }) });
    const worker = startVodhouse(['start'], { cwd });
    await eventually(worker.stderr).toContain('next full run at');
    const second = await vodhouse(['start'], { cwd });
    expect(second.code).toBe(75);
    expect(second.stderr).toContain(
      `a worker is running: vodhouse start on ${hostname()}, pid ${worker.pid}`,
    );
    expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { createGate, startScriptedService, type Script } from '../support/servers/scripted-service.ts';
import { listPage, videoRecord, serveEverything } from '../support/fixtures/service-responses.ts';
import { eventually, startVodhouse, vodhouse } from '../support/processes/vodhouse-command.ts';
import { readWarehouseRows, readWarehouseValue } from '../support/fixtures/warehouse-rows.ts';

vi.setConfig({ testTimeout: 60_000 });

const records = Array.from({ length: 50 }, (_, index) => videoRecord(index + 1));

async function startWith(script: Script, parameters: string[]) {
  const service = await startScriptedService(script);
  const config = configText({ url: service.url, pageSize: 10, storage: false });
  const cwd = createFolder({ [CONFIG]: config });
  return { service, cwd, command: startVodhouse(parameters, { cwd }) };
}

const hanging = serveEverything(() => 'hang');

describe('SIGINT', () => {
  it('ends a sync after the page in flight, with 130; the next sync resumes there', async () => {
    const gate = createGate();
    const script = serveEverything(async (request) => {
      if (request.number > 3) await gate.opened; // a probe and two pages are in flight together
      return listPage(request, records);
    });
    const { service, cwd, command } = await startWith(script, ['sync']);
    await eventually(() => service.requests.length).toBe(4);
    command.kill('SIGINT');
    await eventually(() => command.stderr()).toContain('stopping after the current page');
    gate.open();
    expect((await command.ended).code).toBe(130);
    // the signal may be handled a page later, but every requested page is stored
    const pages = service.requests.slice(1).map(({ query }) => Number(query.get('page')));
    expect(pages.slice(0, 3)).toEqual([5, 4, 3]);
    expect(pages.length).toBeLessThan(5);
    expect(readWarehouseValue(cwd, 'select count(*) from video')).toBe(pages.length * 10);
    expect(readWarehouseRows(cwd, 'select status from run')).toEqual([{ status: 'interrupted' }]);

    const sent = service.requests.length;
    expect(await vodhouse(['sync'], { cwd })).toMatchObject({ code: 0 });
    const read = service.requests.slice(sent).map(({ query }) => Number(query.get('page')));
    expect(read).toContain(1);
    expect(read).not.toContain(5);
    expect(readWarehouseValue(cwd, 'select count(*) from video')).toBe(50);
  });

  it('a second time ends a sync immediately', async () => {
    const { service, command } = await startWith(hanging, ['sync']);
    await eventually(() => service.requests.length).toBe(1);
    const before = performance.now();
    const again = setInterval(() => command.kill('SIGINT'), 50); // two at the same moment may arrive as one
    const { code } = await command.ended;
    clearInterval(again);
    expect(code).toBe(130);
    expect(performance.now() - before).toBeLessThan(3_500); // a single signal would leave 4 s for the request
  });
});

describe('SIGTERM', () => {
  it('ends a worker with 0 within 5 seconds while a request hangs', async () => {
    const { service, cwd, command } = await startWith(hanging, ['start']);
    await eventually(() => service.requests.length).toBe(1);
    const before = performance.now();
    command.kill('SIGTERM');
    const { code } = await command.ended;
    expect(code).toBe(0);
    expect(performance.now() - before).toBeLessThan(5_000);
    expect(readWarehouseRows(cwd, 'select status from run')).toEqual([{ status: 'interrupted' }]);
    expect(readWarehouseRows(cwd, 'select status, answered_at_ms from request')).toEqual([
      { status: null, answered_at_ms: null },
    ]);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { serviceFolder } from '../support/fixtures/command-folder.ts';
import { listPage, serveEverything, videoRecord } from '../support/fixtures/service-responses.ts';
import { createGate } from '../support/servers/scripted-service.ts';

vi.setConfig({ testTimeout: 60_000 });

const CONFIG = { pageSize: 10, storage: false };
const records = Array.from({ length: 49 }, (_, index) => videoRecord(index + 1));
const hanging = serveEverything(() => 'hang');

describe('SIGINT', () => {
  it('ends a sync after the page in flight, with 130; the next sync resumes there', async () => {
    const gate = createGate();
    const script = serveEverything(async (request) => {
      if (request.number > 3) await gate.opened; // a probe and two pages are in flight together
      return listPage(request, records);
    });
    const { service, start, succeed, value, rows } = await serviceFolder(script, CONFIG);
    const readPages = (from: number) =>
      service.requests.slice(from).map(({ query }) => Number(query.get('page')));
    const command = start('sync');
    await expect.poll(() => service.requests.length).toBe(4);
    command.kill('SIGINT');
    await expect.poll(command.stderr).toContain('stopping after the current page');
    gate.open();
    expect((await command.ended).code).toBe(130);
    // the signal may be handled a page later, but every requested page is stored
    const pages = readPages(1);
    expect(pages.slice(0, 3)).toEqual([5, 4, 3]);
    expect(pages.length).toBeLessThan(5);
    expect(value('select count(*) from video')).toBe(pages.length * 10 - 1);
    expect(rows('select status from run')).toEqual([{ status: 'interrupted' }]);

    const sent = service.requests.length;
    await succeed('sync');
    expect(readPages(sent)).toContain(1);
    expect(readPages(sent)).not.toContain(5);
    expect(value('select count(*) from video')).toBe(49);
  });

  it('a second time ends a sync immediately', async () => {
    const { service, start } = await serviceFolder(hanging, CONFIG);
    const command = start('sync');
    await expect.poll(() => service.requests.length).toBe(1);
    const before = performance.now();
    const again = setInterval(() => command.kill('SIGINT'), 50); // two at the same moment may arrive as one
    const { code } = await command.ended;
    clearInterval(again);
    expect(code).toBe(130);
    expect(performance.now() - before).toBeLessThan(3_500); // a single signal would leave 4 s for the request
  });
});

it('SIGTERM ends a worker with 0 within 5 seconds while a request hangs', async () => {
  const { service, start, rows } = await serviceFolder(hanging, CONFIG);
  const command = start('start');
  await expect.poll(() => service.requests.length).toBe(1);
  const before = performance.now();
  command.kill('SIGTERM');
  expect((await command.ended).code).toBe(0);
  expect(performance.now() - before).toBeLessThan(5_000);
  expect(rows('select status from run')).toEqual([{ status: 'interrupted' }]);
  expect(rows('select status, answered_at_ms from request')).toEqual([
    { status: null, answered_at_ms: null },
  ]);
});

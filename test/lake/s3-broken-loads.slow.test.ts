import { describe, expect, it, vi } from 'vitest';
import { findHalfLoads } from '../support/fixtures/lake-digest.ts';
import { digestS3Lake, openS3LakeSite } from '../support/fixtures/s3-lake-site.ts';
import { startS3Server, type S3Fault } from '../support/servers/s3-server.ts';

vi.setConfig({ testTimeout: 120_000 });

/** A published file that a lake does not have yet, or has an earlier state of; and what the lake has before and after its load. */
async function openScenario(load: 'first load' | 'load of changes') {
  const server = await startS3Server({ maxKeys: 3 });
  const site = openS3LakeSite(server);
  site.register();
  await site.walk([1, 2, 3]);
  site.book({ '2026-02-27': 5 });
  if (load === 'load of changes') {
    await site.ship();
    await site.walk([1, 3, 4], { title: 'later' });
    site.book({ '2026-02-28': 6 });
  }
  await site.publish();
  const [begin, before] = [new Map(server.objects), digestS3Lake(server)];
  server.restart();
  await site.load();
  const [count, after] = [server.requests.length, digestS3Lake(server)];
  const goBack = () => {
    server.objects.clear();
    for (const [key, object] of begin) server.objects.set(key, object);
    server.restart();
  };
  return { server, site, count, before, after, goBack };
}

const DENIED: S3Fault = { kind: 'answer', status: 403, code: 'AccessDenied' };
const CLOSED: S3Fault = { kind: 'close', isApplied: true };

/**
 * The fault of one request, that of all later ones, and how many requests on the next one is looked at. The first two together
 * leave the store as it is after each request. Which requests are looked at differs from run to run; `VODHOUSE_FULL=1`: all of them.
 */
const FAULTS: readonly (readonly [name: string, fault: S3Fault, later: S3Fault | null, step: number])[] = [
  ['is refused, and all after it', DENIED, DENIED, 4],
  ['is the last one that is carried out, without an answer', CLOSED, DENIED, 4],
  ['is carried out, without an answer', CLOSED, null, 8],
  ['is answered with SlowDown', { kind: 'answer', status: 503, code: 'SlowDown' }, null, 8],
];

describe.each(['first load', 'load of changes'] as const)('a %s over S3', (load) => {
  it.each(FAULTS)('of which a request %s: nothing half visible, nothing lost', async (...given) => {
    const [, fault, later, step] = given;
    const { server, site, count, before, after, goBack } = await openScenario(load);
    expect(count).toBeGreaterThan(20);
    expect(after).not.toEqual(before);
    const every = process.env['VODHOUSE_FULL'] === '1' ? 1 : step;
    for (let at = 1 + Math.floor(Math.random() * every); at <= count; at += every) {
      goBack();
      server.order(({ number }) => (number === at ? fault : number > at ? later : null));
      const results = Object.values(await site.load());
      const failed = results.filter(({ outcome }) => outcome !== 'loaded' && outcome !== 'unchanged');
      server.order(() => null);
      if (later === null) {
        expect(failed, `request ${at}`).toEqual([]);
        expect(digestS3Lake(server), `request ${at}`).toEqual(after);
      }
      expect(findHalfLoads(digestS3Lake(server), before, after), `after request ${at}`).toEqual([]);
      await site.load();
      expect(digestS3Lake(server), `the load after request ${at}`).toEqual(after);
    }
    expect(await site.differences()).toEqual([]);
  });
});

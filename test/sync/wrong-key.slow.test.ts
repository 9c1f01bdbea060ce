import { describe, expect, it } from 'vitest';
import { openTestPipeline } from '../support/fixtures/open-pipeline.ts';
import { startScriptedService, type Reply } from '../support/servers/scripted-service.ts';
import { listPage, listRefusal, videoRecord } from '../support/fixtures/service-responses.ts';

const PACKAGES = Array.from({ length: 10_000 }, (_, index) => index + 1);
/** The largest number of requests that a wrong key may cost a run. */
const MOST = 2;

describe('a wrong key on ten thousand packages', () => {
  it.each([
    ['refused by a code of the service', () => listRefusal('InvalidKey', 'no such key')],
    ['refused by HTTP 401', (): Reply => ({ status: 401 })],
  ])('%s costs a handful of requests a run', async (_, answer) => {
    const { url, requests } = await startScriptedService(answer);
    const pipeline = openTestPipeline({ url, packages: PACKAGES, silent: true });
    const counts: number[] = [];
    for (let run = 1; run <= 2; run++) {
      const before = requests.length;
      const { status, failures } = await pipeline.run();
      counts.push(requests.length - before);
      expect(status).toBe('failed');
      expect(failures.at(-1)?.message).toContain('9998 packages were not requested in this run');
      pipeline.clock.advance(3_600_000);
    }
    console.info(`requests a run with a wrong key: ${counts.join(', ')}`);
    expect(Math.max(...counts)).toBeLessThanOrEqual(MOST);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });

  it('that becomes wrong defers the walks that wait for another turn: only three fail', async () => {
    const records = Array.from({ length: 200 }, (_, index) => videoRecord(index + 1));
    let refused = 0;
    const { url } = await startScriptedService((request) => {
      const { query } = request;
      const isWrong = refused > 0 || (query.get('pkg') === '8' && query.get('page') === '180');
      if (!isWrong) return listPage(request, records);
      refused++;
      return { status: 401 };
    });
    const packages = PACKAGES.slice(0, 8);
    const pipeline = openTestPipeline({ url, packages, pageSize: 1, silent: true, concurrency: 1 });
    const { walks } = await pipeline.run();
    expect(refused).toBe(3);
    expect(walks.filter(({ status }) => status === 'parked').length).toBeGreaterThanOrEqual(2);
  });
});

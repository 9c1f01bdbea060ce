import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import type { Mode } from '../../src/database/schema/values.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { openTestPipeline, START } from '../support/fixtures/open-pipeline.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { idsFrom, startTestService } from '../support/servers/test-service.ts';

const OF_101 = idsFrom(1, 100, 2);
const OF_102 = idsFrom(2, 50, 2);

/** Two packages of a service; each run has its own config, and is a day after the one before. */
async function openService() {
  const service = await startTestService({ 101: OF_101, 102: OF_102 });
  const clock = createVirtualClock(START);
  const folder = temporaryFolder();
  return {
    service,
    run: async (packages: readonly number[], mode: Mode = 'full', stopAfter = Infinity) => {
      clock.advance(DAY_MS);
      service.requests.length = 0;
      const pipeline = openTestPipeline({
        url: service.url,
        packages,
        pageSize: 20,
        concurrency: 1,
        folder,
        clock,
      });
      service.beforeAnswer = () => {
        if (service.requests.length > stopAfter) pipeline.stop();
      };
      const summary = await pipeline.run({ mode });
      const kinds = pipeline.query<{ change: string; videos: number }>(
        'select change, count(*) as videos from video where package_id = 102 group by 1 order by 1',
      );
      const counts = `select group_concat(live_count, ' ') as text from (select live_count from package order by package_id)`;
      const [live] = pipeline.query<{ text: string }>(counts);
      pipeline.close();
      return {
        summary,
        log: pipeline.log.join('\n'),
        live: live?.text,
        kinds: Object.fromEntries(kinds.map(({ change, videos }) => [change, videos])),
        pagesOf102: service.takePages(102),
      };
    },
  };
}

describe('a package that left the config', () => {
  it('is retired by the next run, whatever it reads, and says so', async () => {
    const { run } = await openService();
    expect((await run([101, 102])).kinds).toEqual({ imported: 50 });
    const left = await run([101], 'quick');
    expect(left.kinds).toEqual({ retired: 50 });
    expect(left.live).toBe('100 0');
    expect(left.log).toContain(
      'left the config: main/102, 50 videos; the rows stay, marked as retired, and no longer count as present',
    );
    expect(left.pagesOf102).toEqual([]);
    expect((await run([101])).log).not.toContain('left the config');
  });

  it.each(['full', 'quick'] as const)('is read in full by the first %s run when it is back', async (mode) => {
    const { run, service } = await openService();
    await run([101, 102]);
    await run([101]);
    service.getPackage(102).remove(2, 4);
    service.getPackage(102).add(1000, 1002, 1004);
    const back = await run([101, 102], mode);
    expect(back.summary.status).toBe('succeeded');
    expect(back.kinds).toEqual({ returned: 48, added: 3, retired: 2 });
    expect(back.live).toBe('100 51');
    expect(new Set(back.pagesOf102)).toEqual(new Set([1, 2, 3]));
    expect((await run([101, 102], mode)).kinds).toEqual(back.kinds);
  });

  it('is read from the start when it is back, also where the walk before it left had stopped in the middle', async () => {
    const { run } = await openService();
    await run([102, 101]);
    const stopped = await run([102, 101], 'full', 1);
    expect(stopped.summary.walks).toMatchObject([{ package_id: 102, status: 'interrupted', pages: 2 }]);
    await run([101]);
    const back = await run([102, 101]);
    expect(back.kinds).toEqual({ returned: 50 });
  });
});

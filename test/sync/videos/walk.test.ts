import { describe, expect, it } from 'vitest';
import { idsBetween, startPackageService } from '../../support/servers/test-service.ts';
import { openTestPipeline, type TestPipelineOptions } from '../../support/fixtures/open-pipeline.ts';
import { lastWalk, liveIds, openWalkedPackage } from '../../support/servers/walked-packages.ts';
import { execute } from '../../support/fixtures/live-file.ts';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { listBody, listRefusal } from '../../support/fixtures/service-responses.ts';

/** A package that no run has walked yet. */
async function open(ids: readonly number[], options: Partial<TestPipelineOptions> = {}) {
  const service = await startPackageService(ids);
  return { service, pipeline: openTestPipeline({ url: service.url, ...options }) };
}

it('counts the videos of a package by the day of the service, as its last walk left them', async () => {
  const { service, pipeline } = await open([3, 7]);
  const days = () => pipeline.query('select date, videos from package_day order by date');
  pipeline.clock.advance(3 * HOUR_MS); // 00:00 of the 11th in Seoul
  await pipeline.run();
  expect(days()).toEqual([{ date: '2026-03-11', videos: 2 }]);
  service.add(8, 9);
  await pipeline.run();
  pipeline.clock.advance(24 * HOUR_MS);
  service.remove(3);
  await pipeline.run();
  expect(days()).toEqual([
    { date: '2026-03-11', videos: 4 },
    { date: '2026-03-12', videos: 3 },
  ]);
});

describe('a first walk', () => {
  it('probes once, then reads from the last page to the first in sequence', async () => {
    const { service, pipeline } = await open(idsBetween(1, 23));
    const summary = await pipeline.run();
    expect(summary.status).toBe('succeeded');
    expect(service.pages()).toEqual([1, 5, 4, 3, 2, 1]);
    expect(service.mostAtOnce()).toBe(1);
    expect(liveIds(pipeline)).toEqual(idsBetween(1, 23));
    expect(lastWalk(pipeline)).toMatchObject({
      pages: 5,
      added: 23,
      totalcount: 23,
      requests: 6,
      status: 'succeeded',
    });
  });

  it('uses the page size of the response, not the requested one', async () => {
    const service = await startPackageService(idsBetween(1, 23));
    service.pageSizeMax = 4;
    const pipeline = openTestPipeline({ url: service.url, pageSize: 1000 });
    await pipeline.run();
    expect(service.pages()).toEqual([1, 6, 5, 4, 3, 2, 1]);
    expect(liveIds(pipeline)).toEqual(idsBetween(1, 23));
    expect(pipeline.query('select page_size, totalcount, "order" from package')).toEqual([
      { page_size: 4, totalcount: 23, order: 'trusted' },
    ]);
  });
});

describe('a later walk', () => {
  it('needs no probe and writes nothing where nothing changed', async () => {
    const { service, pipeline } = await openWalkedPackage(idsBetween(1, 23));
    const before = pipeline.query('select * from video');
    pipeline.clock.advance(HOUR_MS);
    await pipeline.run();
    expect(service.pages()).toEqual([5, 4, 3, 2, 1]);
    expect(lastWalk(pipeline)).toMatchObject({ unchanged: 23, added: 0, edited: 0, removed: 0 });
    expect(pipeline.query('select * from video')).toEqual(before);
  });

  it('finds the new last page when the list has grown', async () => {
    const { service, pipeline } = await openWalkedPackage(idsBetween(1, 10));
    service.add(...idsBetween(11, 18));
    await pipeline.run();
    expect(service.pages()).toEqual([2, 4, 3, 2, 1]);
    expect(liveIds(pipeline)).toEqual(idsBetween(1, 18));
  });

  it('probes again when the list has shrunk', async () => {
    const { service, pipeline } = await openWalkedPackage(idsBetween(1, 23));
    service.remove(...idsBetween(9, 23));
    await pipeline.run();
    expect(service.pages()).toEqual([5, 2, 1]);
    expect(liveIds(pipeline)).toEqual(idsBetween(1, 8));
  });
});

describe('a removal', () => {
  it('is proved by the page that would list it, and marked with the time of that response', async () => {
    const { service, pipeline } = await openWalkedPackage(idsBetween(1, 23));
    service.remove(4, 14);
    pipeline.clock.set('2026-03-10T13:00:00Z');
    await pipeline.run();
    expect(lastWalk(pipeline)).toMatchObject({ removed: 2, held_back: 0 });
    expect(
      pipeline.query('select id, removed_at, changed_at from video where removed_at is not null order by id'),
    ).toEqual([
      { id: 4, removed_at: '2026-03-10 13:00:00', changed_at: '2026-03-10 13:00:00' },
      { id: 14, removed_at: '2026-03-10 13:00:00', changed_at: '2026-03-10 13:00:00' },
    ]);
  });

  it('that is held back is confirmed by a walk of the next tick, which may be a few seconds early', async () => {
    const { service, pipeline } = await openWalkedPackage(idsBetween(1, 60), { removalBrake: 0.2 });
    service.remove(...idsBetween(11, 50));
    await pipeline.run();
    expect(lastWalk(pipeline)).toMatchObject({ removed: 0, held_back: 40 });
    pipeline.clock.advance(HOUR_MS - 5_000);
    await pipeline.run();
    expect(lastWalk(pipeline)).toMatchObject({ removed: 40, held_back: 0 });
  });

  it('from a list of one page needs no order', async () => {
    const { service, pipeline } = await openWalkedPackage([1, 2, 3, 4]);
    service.refill([4, 2, 1]);
    service.order = 'arrival';
    await pipeline.run();
    expect(lastWalk(pipeline)).toMatchObject({ removed: 1, error: null });
  });
});

describe('a page with a contradiction', () => {
  it('is stored but proves nothing, and the others still do', async () => {
    const { service, pipeline } = await openWalkedPackage(idsBetween(1, 23));
    service.remove(4, 12);
    service.edit(13, { id: 'not a number' });
    const summary = await pipeline.run();
    expect(summary.status).toBe('partial');
    expect(lastWalk(pipeline)).toMatchObject({ removed: 1, quarantined: 1 });
    expect(liveIds(pipeline)).toContain(12);
    expect(liveIds(pipeline)).not.toContain(4);
  });
});

it('a last page with a contradiction costs no other request', async () => {
  const { service, pipeline } = await openWalkedPackage(idsBetween(1, 23));
  service.edit(22, { id: 21 });
  await pipeline.run();
  expect(service.pages()).toEqual([5, 4, 3, 2, 1]);
});

describe('a page that was not read completely', () => {
  /** Answers this page with the given number of its records, the given number of times. */
  function cut(
    service: Awaited<ReturnType<typeof startPackageService>>,
    page: number,
    left: number,
    times: number,
  ) {
    let rest = times;
    service.intercept = (request) => {
      if (request.page !== page || rest-- <= 0) return undefined;
      const all = [...service.records.values()];
      const size = 5;
      const records = all.slice((page - 1) * size, (page - 1) * size + left);
      const totalpage = Math.ceil(all.length / size);
      return { body: listBody({ records, page, pagesize: size, totalcount: all.length, totalpage }) };
    };
  }

  it.each([
    ['a last page', 5, 1],
    ['a page in the middle', 3, 0],
  ])('makes the walk partial and removes nothing: %s that is truncated', async (_, page, left) => {
    const { service, pipeline } = await openWalkedPackage(idsBetween(1, 24));
    const { walked_at: before } =
      pipeline.query<{ walked_at: string }>('select walked_at from package')[0] ?? {};
    pipeline.clock.advance(HOUR_MS);
    cut(service, page, left, 10);
    const summary = await pipeline.run();
    expect(summary.status).toBe('partial');
    expect(lastWalk(pipeline)).toMatchObject({ status: 'partial', removed: 0, held_back: 0 });
    expect(lastWalk(pipeline)['error']).toContain(`page ${page} came with ${left} of`);
    expect(liveIds(pipeline)).toEqual(idsBetween(1, 24));
    expect(pipeline.query('select walked_at from package')).toEqual([{ walked_at: before }]);
  });
});

describe('a service that rejects pages beyond the end', () => {
  it('is probed from page 1 when the package has shrunk', async () => {
    const { service, pipeline } = await openWalkedPackage(idsBetween(1, 24));
    service.remove(...idsBetween(9, 24));
    service.intercept = ({ page }) =>
      page > Math.ceil(service.records.size / 5) ? listRefusal('InvalidPage') : undefined;
    expect((await pipeline.run()).status).toBe('succeeded');
    expect(liveIds(pipeline)).toEqual(idsBetween(1, 8));
  });
});

describe('a page size that changes during a walk', () => {
  it('is accepted, and the walk continues from the lowest id read', async () => {
    const service = await startPackageService(idsBetween(1, 60));
    service.beforeAnswer = ({ page }) => {
      if (page === 8) service.pageSizeMax = 3;
    };
    const pipeline = openTestPipeline({ url: service.url });
    expect((await pipeline.run()).status).toBe('succeeded');
    expect(liveIds(pipeline)).toEqual(idsBetween(1, 60));
  });

  it('again and again fails the walk', async () => {
    const service = await startPackageService(idsBetween(1, 60));
    let size = 3;
    service.beforeAnswer = () => {
      size = 7 - size;
      service.pageSizeMax = size;
    };
    const { failures } = await openTestPipeline({ url: service.url }).run();
    expect(service.requests.length).toBeLessThan(20);
    expect(failures).toMatchObject([
      { message: expect.stringContaining('the page size keeps changing') as string },
    ]);
  });
});

describe('an interrupted walk', () => {
  it('ends after the page in flight, and the next run resumes it', async () => {
    const { service, pipeline } = await open(idsBetween(1, 50));
    service.beforeAnswer = ({ page }) => {
      if (page === 6) pipeline.stop();
    };
    const summary = await pipeline.run();
    expect(summary.status).toBe('interrupted');
    expect(lastWalk(pipeline)).toMatchObject({ status: 'interrupted', pages: 5, checkpoint_id: 26 });
    service.beforeAnswer = () => undefined;
    const before = service.pages().length;
    await pipeline.run();
    expect(service.pages().slice(before)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(lastWalk(pipeline)).toMatchObject({ status: 'succeeded', resumed: 1 });
    expect(liveIds(pipeline)).toEqual(idsBetween(1, 50));
  });

  it('holds its removals back if it was resumed below videos that it has not seen', async () => {
    const { service, pipeline } = await openWalkedPackage(idsBetween(1, 31));
    service.beforeAnswer = ({ page }) => {
      if (page === 4) pipeline.stop();
    };
    await pipeline.run();
    service.beforeAnswer = () => undefined;
    service.add(40, 41, 42);
    service.remove(3);
    await pipeline.run();
    expect(lastWalk(pipeline)).toMatchObject({ resumed: 1, added: 0, removed: 0, held_back: 1 });
  });

  it('reads a page again if it did not come to the gap above it, but only once', async () => {
    const { service, pipeline } = await openWalkedPackage(idsBetween(1, 33));
    const walk = async (stopsAt: number | null) => {
      service.requests.length = 0;
      service.beforeAnswer = ({ page }) => {
        if (page === stopsAt) pipeline.stop();
      };
      await pipeline.run();
      return service.pages().join(' ');
    };
    service.remove(16); // between the pages 3 and 4
    expect([await walk(3), await walk(null)]).toEqual(['7 6 5 4 3', '4 3 4 2 1']);
    expect(liveIds(pipeline)).not.toContain(16);
    service.remove(11); // between the pages 2 and 3
    expect([await walk(2), await walk(2), await walk(null)]).toEqual(['7 6 5 4 3 2', '3 2', '2 1']);
    expect(liveIds(pipeline)).toContain(11);
    await walk(null);
    expect(liveIds(pipeline)).not.toContain(11);
  });
});

describe('a failing package', () => {
  it.each(['full', 'quick'] as const)('is not one whose %s walk cannot be stored', async (mode) => {
    const { service, pipeline } = await openWalkedPackage(idsBetween(1, 12));
    service.add(20);
    const broken = "create trigger broken before insert on video begin select raise(abort, 'broken'); end";
    execute(pipeline.file, broken);
    await expect(pipeline.run({ mode })).rejects.toThrow('broken');
    expect(pipeline.query('select failed_walks from package')).toEqual([{ failed_walks: 0 }]);
    expect(pipeline.query("select * from walk where status = 'failed'")).toEqual([]);
  });

  it('does not stop the others, and resumes from its checkpoint later', async () => {
    const service = await startPackageService(idsBetween(1, 30));
    service.intercept = ({ page, query }) =>
      query.get('pkg') === '2' && page === 3 ? { status: 403, body: 'no' } : undefined;
    const pipeline = openTestPipeline({ url: service.url, packages: [1, 2, 3] });
    const summary = await pipeline.run();
    expect(summary.status).toBe('partial');
    expect(summary.failures).toHaveLength(1);
    const message = summary.failures[0]?.message;
    expect(message).toContain('account main, package 2, page 3');
    expect(pipeline.query("select error from walk where status = 'failed'")).toEqual([{ error: message }]);
    expect(pipeline.query('select package_id, count(*) as n from video group by 1')).toEqual([
      { package_id: 1, n: 30 },
      { package_id: 2, n: 15 },
      { package_id: 3, n: 30 },
    ]);
    service.intercept = () => undefined;
    expect((await pipeline.run()).status).toBe('succeeded');
    expect(pipeline.query('select count(*) as n from video where package_id = 2')).toEqual([{ n: 30 }]);
  });

  it('stops its account when ten packages in a row fail alike: a dead service does not receive ten thousand requests', async () => {
    const service = await startPackageService([1]);
    service.intercept = () => ({ status: 503, body: 'down' });
    const pipeline = openTestPipeline({ url: service.url, packages: idsBetween(1, 200), concurrency: 1 });
    const summary = await pipeline.run();
    expect(summary.status).toBe('failed');
    expect(service.requests.length).toBe(50);
  });
});

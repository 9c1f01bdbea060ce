import { afterEach, describe, expect, it, vi } from 'vitest';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { allVideos, makeSandbox, NOON, serveSandbox } from '../support/servers/sandbox-account.ts';
import { addDays } from '../../src/lib/days.ts';
import { DAY_MS } from '../../src/lib/clock.ts';

describe('churn', () => {
  it('makes the same changes for a seed, however they are split', async () => {
    const one = makeSandbox();
    const other = makeSandbox();
    const changes = one.churn(200);
    expect([...other.churn(50), ...other.churn(150)]).toEqual(changes);
    expect(await allVideos(other, 101)).toEqual(await allVideos(one, 101));
    expect(makeSandbox({ seed: 2 }).churn(200)).not.toEqual(changes);
  });

  it('changes the list as it reports', async () => {
    const sandbox = makeSandbox({ packages: [{ id: 1, videos: 40 }] });
    const seen = new Map((await allVideos(sandbox, 1)).map((video) => [video.id, video]));
    let newestId = Math.max(...seen.keys());
    for (let round = 0; round < 100; round++) {
      const before = new Map((await allVideos(sandbox, 1)).map((video) => [video.id, video]));
      const [change] = sandbox.churn(1);
      const after = new Map((await allVideos(sandbox, 1)).map((video) => [video.id, video]));
      const id = change?.id ?? 0;
      if (change?.kind === 'upload') {
        expect(id).toBeGreaterThan(newestId);
        newestId = id;
      }
      if (change?.kind === 'edit') expect(after.get(id)).not.toEqual(before.get(id));
      if (change?.kind === 're-add') expect(after.get(id)).toEqual(seen.get(id));
      expect(before.has(id)).toBe(change?.kind === 'edit' || change?.kind === 'delete');
      expect(after.has(id)).toBe(change?.kind !== 'delete');
      for (const [other, video] of after) if (other !== id) expect(video).toEqual(before.get(other));
      expect([...after.keys()]).toEqual([...after.keys()].toSorted((a, b) => a - b));
      for (const [other, video] of after) seen.set(other, video);
    }
  });

  it('leaves every package with at least half its videos', async () => {
    const packages = [
      { id: 1, videos: 1 },
      { id: 2, videos: 4 },
    ];
    for (let seed = 0; seed < 15; seed++) {
      const sandbox = makeSandbox({ packages, seed });
      for (let round = 0; round < 10; round++) {
        sandbox.churn(1);
        expect(await allVideos(sandbox, 1)).not.toHaveLength(0);
        expect((await allVideos(sandbox, 2)).length).toBeGreaterThanOrEqual(2);
      }
    }
  });

  it('leaves an empty package empty', async () => {
    const sandbox = makeSandbox();
    expect(sandbox.churn(1000)).toHaveLength(1000);
    expect(await allVideos(sandbox, 103)).toEqual([]);
    expect(makeSandbox({ packages: [{ id: 3, videos: 0 }] }).churn(5)).toEqual([]);
  });

  it.each(['title', 'duration', 'filesize'])(
    'is visible immediately in a list sorted by %s and in a search',
    async (item) => {
      const { sandbox, videos } = await serveSandbox(makeSandbox());
      const query = `pkg=102&pagesize=1000&sort_item=${item}&sort_direction=asc`;
      const search = `${query}&search_item=title&keyword=1`;
      for (let round = 0; round < 3; round++) {
        const rows = (await videos(query)).videoInfoList;
        const found = (await videos(search)).videoInfoList;
        const now = await allVideos(sandbox, 102);
        expect(rows.toSorted((a, b) => a.id - b.id)).toEqual(now);
        expect(found).toEqual(rows.filter((video) => video.title?.includes('1')));
        sandbox.churn(400);
      }
    },
  );
});

describe('churn a minute', () => {
  afterEach(() => vi.useRealTimers());

  it('arrives in small steps at the requested rate, and ends with the sandbox', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const clock = createVirtualClock(NOON);
    const { sandbox, videos } = await serveSandbox(makeSandbox({ clock, churnPerMinute: 120 }));
    const expected = makeSandbox();
    const content = async (from: Sandbox) =>
      (await allVideos(from, 101)).map((video) => ({ ...video, cdate: '' }));
    const pass = (ms: number) => {
      for (let passed = 0; passed < ms; passed += 100) {
        clock.advance(100);
        vi.advanceTimersByTime(100);
      }
    };
    pass(1000);
    expected.churn(2);
    expect(await content(sandbox)).toEqual(await content(expected));
    pass(59_000);
    expected.churn(118);
    expect(await content(sandbox)).toEqual(await content(expected));
    expect((await videos('pkg=103')).paging.totalcount).toBe(0);
    await sandbox.close();
    pass(60_000);
    expect(await content(sandbox)).toEqual(await content(expected));
  });
});

const TODAY = '2026-03-10';
describe("the sandbox's storage", () => {
  it('has one record a day from 400 days back to today, and none before or after', async () => {
    const { storage } = await serveSandbox(makeSandbox());
    const days = (await storage('2000-01-01', '2099-12-31')).map((record) => record.date);
    expect(days).toEqual(Array.from({ length: 401 }, (_, index) => addDays(TODAY, index - 400)));
  });

  it('respects the requested range and direction', async () => {
    const { storage } = await serveSandbox(makeSandbox());
    const dates = async (...range: Parameters<typeof storage>) =>
      (await storage(...range)).map((record) => record.date);
    expect(await dates('2026-03-01', '2026-03-03', '&sort_direction=desc')).toEqual([
      '2026-03-03',
      '2026-03-02',
      '2026-03-01',
    ]);
    expect(await dates('2026-03-03', '2026-03-01')).toEqual([]);
    expect(await dates('2026-03-11', '2026-03-12')).toEqual([]);
  });

  it('never changes a day that is over, in another process, on a later day, or by changes', async () => {
    const clock = createVirtualClock(NOON);
    const { sandbox, storage } = await serveSandbox(makeSandbox({ clock }));
    const range = [addDays(TODAY, -30), addDays(TODAY, -1)] as const;
    const first = await storage(...range);
    sandbox.churn(50);
    expect(await storage(...range)).toEqual(first);
    const later = await serveSandbox(makeSandbox({ clock: createVirtualClock(NOON + 40 * DAY_MS) }));
    expect(await later.storage(...range)).toEqual(first);
    const another = await serveSandbox(makeSandbox({ seed: 2 }));
    expect(await another.storage(...range)).not.toEqual(first);
  });

  it('is made from the files of the videos that there are on a day', async () => {
    const clock = createVirtualClock(NOON);
    const { sandbox, storage } = await serveSandbox(makeSandbox({ clock }));
    const total = async () => {
      const videos = (await Promise.all(sandbox.packageIds.map((id) => allVideos(sandbox, id)))).flat();
      const bytes = videos.reduce((sum, { filesize }) => sum + (filesize ?? NaN), 0);
      return { mov_org_cnt: videos.length, mov_org_size: bytes, encoder_cnt: 3 * videos.length };
    };
    const before = await total();
    expect(await storage(addDays(TODAY, -1), TODAY)).toMatchObject([before, before]);
    sandbox.churn(300); // of every kind
    const after = await total();
    expect(after).not.toEqual(before);
    expect(await storage(addDays(TODAY, -1), TODAY)).toMatchObject([before, after]);
    clock.advance(DAY_MS);
    sandbox.churn(1);
    expect(await storage(TODAY, TODAY)).toMatchObject([after]);
    sandbox.removeMany(101, 100, addDays(TODAY, 2));
    sandbox.churn(300); // restores some of them
    expect(await storage(addDays(TODAY, 1), addDays(TODAY, 1))).not.toMatchObject([await total()]);
    clock.advance(DAY_MS);
    expect(await storage(addDays(TODAY, 2), addDays(TODAY, 2))).toMatchObject([await total()]);
  });

  it('begins a day at midnight of its time zone', async () => {
    const justBefore = Date.parse('2026-03-09T14:59:59Z');
    const seoul = createVirtualClock(justBefore);
    const { storage } = await serveSandbox(makeSandbox({ clock: seoul }));
    expect(await storage(TODAY, TODAY)).toEqual([]);
    seoul.advance(1000);
    expect(await storage(TODAY, TODAY)).toHaveLength(1);
    const utc = await serveSandbox(
      makeSandbox({ clock: createVirtualClock(justBefore + 1000), timezone: 'UTC' }),
    );
    expect(await utc.storage(TODAY, TODAY)).toEqual([]);
  });
});

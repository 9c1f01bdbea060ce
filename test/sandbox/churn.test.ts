import { afterEach, describe, expect, it, vi } from 'vitest';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { allVideos, makeSandbox, NOON, serveSandbox } from '../support/servers/sandbox-account.ts';

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
    for (let round = 0; round < 300; round++) {
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
    for (let seed = 0; seed < 50; seed++) {
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
      for (let round = 0; round < 5; round++) {
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

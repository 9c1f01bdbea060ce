import { describe, expect, it } from 'vitest';
import { readVideo } from '../../src/service/videos.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { allVideos, makeSandbox, NOON, serveSandbox } from '../support/servers/sandbox-account.ts';

describe('the sandbox', () => {
  it('has packages of 12,000, 300 and 0 videos', async () => {
    const { sandbox, videos } = await serveSandbox(makeSandbox());
    expect(sandbox.packageIds).toEqual([101, 102, 103]);
    const pagings = await Promise.all(
      sandbox.packageIds.map(async (id) => (await videos(`pkg=${id}&pagesize=1000`)).paging),
    );
    expect(pagings).toEqual([
      { page: 1, pagesize: 1000, totalcount: 12_000, totalpage: 12 },
      { page: 1, pagesize: 1000, totalcount: 300, totalpage: 1 },
      { page: 1, pagesize: 1000, totalcount: 0, totalpage: 0 },
    ]);
  });

  it('has its key and its packages, and no others', async () => {
    const { url, videos } = await serveSandbox(makeSandbox());
    const response = await fetch(`${url}/info/v1/videos.json?key=another&pkg=102`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      videoInfoList: { errorInfo: { errorCode: 'InvalidKey' } },
    });
    expect((await videos('pkg=102')).errorInfo).toEqual({ errorCode: 'None', errorMessage: '' });
    expect((await videos('pkg=104')).errorInfo.errorCode).toBe('PackageNotFound');
  });

  it('takes packages, keys and the largest page from its options', async () => {
    const packages = [{ id: 7, videos: 45 }];
    const { sandbox, videos } = await serveSandbox(
      makeSandbox({ packages, keys: ['one', 'two'], pageSizeMax: 10 }),
    );
    expect(sandbox).toMatchObject({ key: 'one', packageIds: [7] });
    const paging = { page: 5, pagesize: 10, totalcount: 45, totalpage: 5 };
    expect((await videos('pkg=7&page=5')).paging).toEqual(paging);
    expect(await videos('pkg=7&page=5&pagesize=1000')).toMatchObject({
      paging,
      videoInfoList: { length: 5 },
    });
  });

  it('lists 20 videos, newest first, by default', async () => {
    const { sandbox, videos } = await serveSandbox(makeSandbox());
    const newest = (await allVideos(sandbox, 102)).slice(-20).reverse();
    expect((await videos('pkg=102')).videoInfoList).toEqual(newest);
  });
});

describe('the made-up catalogue', () => {
  it('is the same for a seed, and another for another', async () => {
    const first = await allVideos(makeSandbox({ seed: 4 }), 102);
    expect(await allVideos(makeSandbox({ seed: 4 }), 102)).toEqual(first);
    expect(await allVideos(makeSandbox({ seed: 5 }), 102)).not.toEqual(first);
  });

  it('has no record that a reader rejects, with exactly the 24 fields', async () => {
    for (const video of await allVideos(makeSandbox(), 101)) {
      expect(readVideo(JSON.stringify(video))).toEqual({ video, drift: [] });
    }
  });

  it('has rising ids with gaps, the same ids in several packages, and about 1 KB a record', async () => {
    const sandbox = makeSandbox();
    const ids = (await allVideos(sandbox, 101)).map((video) => video.id);
    const gaps = ids.slice(1).map((id, rank) => id - (ids[rank] ?? 0));
    expect(Math.min(...gaps)).toBe(1);
    expect(Math.max(...gaps)).toBeGreaterThan(2);
    const shared = (await allVideos(sandbox, 102)).filter((video) => ids.includes(video.id));
    expect(shared.length).toBeGreaterThan(20);
    const bytes = Buffer.byteLength(JSON.stringify(await allVideos(sandbox, 101)));
    expect(bytes / ids.length).toBeGreaterThan(800);
    expect(bytes / ids.length).toBeLessThan(1200);
  });

  it('lists a few videos in a second package too', async () => {
    const lectures = { id: 101, videos: 250 };
    const sandbox = makeSandbox({ packages: [lectures, { id: 102, videos: 40, shares: lectures }] });
    const first = await allVideos(sandbox, 101);
    const other = await allVideos(sandbox, 102);
    expect(other).toHaveLength(43);
    expect(other.map(({ id }) => id)).toEqual(other.map(({ id }) => id).sort((a, b) => a - b));
    const files = new Set(first.map(({ filesize, duration, title }) => `${filesize} ${duration} ${title}`));
    const shared = other.filter(({ filesize, duration, title }) =>
      files.has(`${filesize} ${duration} ${title}`),
    );
    expect(shared.map(({ id }) => id)).toEqual([0, 100, 200].map((rank) => first[rank]?.id));
  });

  it('includes values that break careless readers', async () => {
    const videos = await allVideos(makeSandbox(), 101);
    const text = videos.map((video) => `${video.title ?? ''}${video.content ?? ''}`).join('');
    for (const sign of [
      /[가-힣]/,
      /[a-z]{5}/,
      /\u{1F525}/u,
      /"/,
      /'/,
      /\\/,
      /\n/,
      /\r\n/,
      /\t/,
      /<b>/,
      /[%_]/,
    ]) {
      expect(text).toMatch(sign);
    }
    for (const field of ['cid', 'series', 'author', 'content', 'copyright', 'rate', 'etc'] as const) {
      const values = new Set(videos.map((video) => video[field]));
      expect([values.has(null), values.has(''), values.size > 2]).toEqual([true, true, true]);
    }
    expect(videos.some((video) => (video.filesize ?? 0) > 2 ** 31)).toBe(true);
    expect(videos.some((video) => !Number.isInteger(video.v_framerate))).toBe(true);
  });

  it('writes creation times as docs/service.md does, rising with the ids up to now', async () => {
    const sandbox = makeSandbox({ newestMs: NOON - DAY_MS });
    const timesNow = async () => (await allVideos(sandbox, 102)).map((video) => video.cdate ?? '');
    expect((await timesNow()).at(-1)).toBe('2026-03-09 03:00:00.0');
    sandbox.churn(200);
    const times = await timesNow();
    expect(times.every((time) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d$/.test(time))).toBe(true);
    expect(times.toSorted()).toEqual(times);
    expect(times.at(-1)).toBe('2026-03-10 12:00:00.0'); // in Seoul
  });
});

import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { addDays } from '../../src/lib/days.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { allVideos, makeSandbox, NOON, serveSandbox } from '../support/servers/sandbox-account.ts';

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

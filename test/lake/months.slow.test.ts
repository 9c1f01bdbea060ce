import { expect, it, vi } from 'vitest';
import { openLakeSite } from '../support/fixtures/lake-site.ts';

vi.setConfig({ testTimeout: 300_000 });

it('former states are in one file for each month that is over, and in few for the present one', async () => {
  const site = openLakeSite({ start: '2025-12-20T12:00Z' });
  site.register();
  await site.walk([1, 2, 3, 4, 5]);
  await site.ship();
  let written = 0;
  for (let day = 0; day < 48; day++) {
    site.clock.advance(86_400_000);
    await site.walk([1, 2, 3, 4, 5], { title: `of day ${day}` });
    const results = await site.ship();
    expect(results['main']).toMatchObject({ outcome: 'loaded', findings: [] });
    const history = site.manifest().tables.find(({ table }) => table === 'video_history');
    const months = history?.slices.map(({ slice, files }) => [slice, files.length] as const) ?? [];
    const [present, ...over] = [...months].reverse();
    expect(present?.[1]).toBeLessThanOrEqual(4);
    expect(over.map(([, count]) => count)).toEqual(over.map(() => 1));
    written +=
      history?.slices.flatMap(({ files }) => files).filter(isOfLoad(site.pointer().load)).length ?? 0;
    if (day % 12 === 0) expect(await site.differences()).toEqual([]);
  }
  expect(await site.differences()).toEqual([]);
  expect(Object.values(site.pointer().files).flat().length).toBeLessThan(20);
  expect(written).toBeLessThan(48 + 3); // one file a load, and one for each month that ended
});

const isOfLoad =
  (load: number) =>
  ({ key }: { key: string }) =>
    key.includes(`/${String(load).padStart(16, '0')}-`);

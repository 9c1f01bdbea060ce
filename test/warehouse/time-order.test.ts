import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { readRows } from '../support/fixtures/live-file.ts';
import { createWalker, EVERYTHING, video } from '../support/fixtures/package-walker.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
/** One walk: the clock, in days from the start, and the list. */
const walk = fc.record({
  days: fc.double({ min: -400, max: 400, noNaN: true }),
  titles: fc.dictionary(fc.constantFrom('1', '2', '3'), fc.constantFrom('a', 'b', 'c')),
});

const BACKWARD = `
with state as (
  select id, change_seq, valid_from, valid_to from video_version
  union all select id, change_seq, coalesce(removed_at, changed_at), null from video),
pair as (
  select *, lag(valid_to) over (partition by id order by change_seq) as before,
    lag(valid_from) over (partition by id order by change_seq) as from_before
  from state)
select * from pair where valid_to < valid_from or before > valid_from or from_before > valid_from`;

describe('time in the file', () => {
  it('never runs backward, wherever the clock jumps', async () => {
    const property = fc.asyncProperty(fc.array(walk, { minLength: 2, maxLength: 8 }), async (walks) => {
      const path = join(temporaryFolder(), 'live.db');
      const clock = createVirtualClock('2026-03-10T12:00Z');
      const start = clock.now();
      const warehouse = openWarehouse(path, clock);
      const walker = createWalker(warehouse, clock);
      for (const { days, titles } of walks) {
        clock.set(start + Math.round(days * DAY_MS));
        const walk = await walker.begin();
        const shown = Object.entries(titles).map(([id, title]) => video(Number(id), { title }));
        await walker.page(walk, {
          videos: [...shown, video(9)],
          proof: EVERYTHING,
          coversWholeList: true,
          checkpoint: { id: 1, totalcount: shown.length + 1 },
        });
        clock.advance(1000);
        await walker.finish(walk, { share: 1, accept: true });
      }
      warehouse.close();
      expect(readRows(path, BACKWARD)).toEqual([]);
      const backward = 'select * from video where removed_at < first_seen_at or changed_at < first_seen_at';
      expect(readRows(path, backward)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 40 });
  });
});

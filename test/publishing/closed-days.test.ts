/** What a publication says of a day that is over stays true: random histories of a warehouse, published again and again. */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { createWalker, video } from '../support/fixtures/package-walker.ts';
import { published } from '../support/fixtures/published-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { transact } from '../../src/database/transaction.ts';
import { registerPackages } from '../../src/warehouse/packages.ts';

vi.setConfig({ testTimeout: 120_000 });

const PACKAGES = [101, 102];

/** What the service lists, which packages are in the config, and how removals are taken. */
const step = fc.record({
  hours: fc.constantFrom(0, 1, 5, 13, 24, 50),
  followed: fc.constantFrom(PACKAGES, PACKAGES, PACKAGES, [101], [102]),
  walked: fc.constantFrom(PACKAGES, PACKAGES, [101], []),
  listed: fc.subarray([1, 2, 3, 4, 5, 6]),
  title: fc.constantFrom('a', 'b'),
  /** Held back, until they are proved again an hour later; or accepted by a person. */
  removals: fc.constantFrom({ share: 0, minimum: 0 }, { share: 1 }, { share: 0, minimum: 0, accept: true }),
  isPublished: fc.boolean(),
});

type Select = Awaited<ReturnType<typeof published>>['select'];

/** Everything of days that are over, as text; the end of a state comes later, and is not part of it. */
const CLOSED: Record<string, string> = {
  package_daily: 'select * from package_daily where not is_live order by package_key, day',
  versions: `select version_key, change, changed_day, changed_fields, valid_from, first_missing_at, is_removed, title from video_versions
where changed_day < (select value from about where key = 'today') order by change_seq`,
  changes: `select * from video_changes where changed_day < (select value from about where key = 'today') order by change_seq, field`,
};

const AT_END = `valid_from < d.ends_at and (valid_to is null or valid_to >= d.ends_at) and not is_removed`;

/** Queries for rows that no file may have. */
const CONTRADICTIONS = [
  `select * from (
  select package_key, day, video_count - lag(video_count, 1, 0) over (partition by package_key order by day) as growth,
    imported_count + added_count + restored_count + returned_count - removed_count - retired_count as flow from package_daily
) where growth <> flow`,
  `select * from package_daily p join dates d using (day) where video_count <> (
  select count(*) from video_versions v where v.package_key = p.package_key and ${AT_END})`,
  `select * from (select (select count(*) from videos) as now, (select sum(video_count) from packages) as packages,
    (select coalesce(sum(video_count), 0) from package_daily where is_live) as today,
    (select count(*) from video_versions where is_current and not is_removed) as versions)
where now <> packages or now <> today or now <> versions`,
  `select * from packages where is_retired and video_count <> 0`,
  `select * from video_tags where video_key not in (select video_key from videos)`,
];

it('days that are over, and their states and changes, are the same in every later publication', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const path = join(temporaryFolder(), 'live.db');
      const clock = createVirtualClock('2026-03-01T12:00Z');
      const warehouse = openWarehouse(path, clock);
      const known = new Map<string, Set<string>>(Object.keys(CLOSED).map((name) => [name, new Set()]));
      for (const { hours, followed, walked, listed, title, removals, isPublished } of steps) {
        clock.advance(hours * HOUR_MS + 1000);
        const packages = followed.map((id) => ({ id, name: null }));
        transact(warehouse.db, (tx) => registerPackages(tx, [{ name: 'main', packages }], clock.now()));
        for (const packageId of walked.filter((id) => followed.includes(id))) {
          const walker = createWalker(warehouse, clock, { account: 'main', packageId });
          await walker.walkOnce(
            listed.map((id) => video(id, { title, tag: 'x' })),
            removals,
          );
        }
        if (!isPublished) continue;
        const { select } = await published(path, { timezone: 'UTC', now: clock.now() });
        for (const query of CONTRADICTIONS) expect(select(query)).toEqual([]);
        for (const [name, rows] of known) findNew(select, name, rows);
      }
      warehouse.close();
    }),
    { seed: 7, numRuns: Number(process.env.VODHOUSE_RUNS ?? 4) },
  );
});

/** Every known row is still there; adds those that are new. */
function findNew(select: Select, name: string, known: Set<string>): void {
  const rows = new Set(select(CLOSED[name] ?? '').map((row) => JSON.stringify(row)));
  expect([name, [...known].filter((row) => !rows.has(row))]).toEqual([name, []]);
  for (const row of rows) known.add(row);
}

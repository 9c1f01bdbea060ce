import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createCalendar } from '../../src/lib/calendar.ts';
import { fromTimestamp, toTimestamp } from '../../src/lib/clock.ts';
import { change, insert, liveFileWith, packageRow, videoRow } from '../support/fixtures/filled-live-file.ts';
import { published } from '../support/fixtures/published-file.ts';

vi.setConfig({ testTimeout: 60_000 });

const NOW = Date.parse('2026-04-02T03:00:00Z');

/** A package's list at a moment: sizes of its live videos by id. */
type Catalogue = ReadonlyMap<number, number | null>;

/** One change of a list, the given number of minutes after the previous one. */
interface Step {
  id: number;
  what: 'show' | 'remove';
  bytes: number | null;
  minutes: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  id: fc.integer({ min: 1, max: 4 }),
  what: fc.constantFrom('show', 'show', 'remove'),
  bytes: fc.constantFrom(1, 10, 100, null),
  minutes: fc.constantFrom(0, 1, 30, 59, 600, 1440, 2880),
});

/** Runs the steps: the SQL for a live file, and the catalogue after each. */
function play(steps: readonly Step[]) {
  let at = Date.parse('2026-03-20T10:00:00Z');
  let catalogue: Catalogue = new Map();
  const known = new Set<number>();
  const sql: string[] = [];
  const story: { at: number; change: string; after: Catalogue }[] = [];
  for (const { id, what, bytes, minutes } of steps) {
    at += minutes * 60_000;
    const change = nameChange(id, what, known, catalogue);
    const statement = createStatement({ id, what, bytes }, toTimestamp(at), known, catalogue);
    if (statement === null || at > NOW) continue;
    const after = new Map(catalogue);
    if (what === 'show') after.set(id, bytes);
    else after.delete(id);
    sql.push(statement);
    story.push({ at, change, after });
    catalogue = after;
  }
  return { sql, story };
}

function nameChange(id: number, what: Step['what'], known: Set<number>, catalogue: Catalogue): string {
  if (what === 'remove') return 'removed';
  if (!known.has(id)) return 'added';
  return catalogue.has(id) ? 'edited' : 'restored';
}

function createStatement(
  { id, what, bytes }: Pick<Step, 'id' | 'what' | 'bytes'>,
  at: string,
  known: Set<number>,
  catalogue: Catalogue,
): string | null {
  if (what === 'remove') return catalogue.has(id) ? change(id, at, `removed_at = '${at}'`) : null;
  if (!known.has(id)) {
    known.add(id);
    return videoRow(id, { filesize: bytes, duration: bytes, first_seen_at: at, changed_at: at });
  }
  const isSame = catalogue.has(id) && catalogue.get(id) === bytes;
  return isSame ? null : change(id, at, `removed_at = null, filesize = ${bytes}, duration = ${bytes}`);
}

/** The expected rows for the steps, day by day of the zone. */
function expected(story: ReturnType<typeof play>['story'], timezone: string) {
  const calendar = createCalendar(timezone);
  const days: Record<string, unknown>[] = [];
  const first = story[0];
  if (!first) return [];
  for (let day = calendar.dayAt(first.at); day <= calendar.dayAt(NOW); day = nextDay(day)) {
    const past = story.filter(({ at }) => calendar.dayAt(at) <= day);
    const ofDay = past.filter(({ at }) => calendar.dayAt(at) === day);
    const now = past.at(-1)?.after ?? new Map<number, number | null>();
    const bytes = [...now.values()].reduce<number>((sum, each) => sum + (each ?? 0), 0);
    const count = (what: string) => ofDay.filter((each) => each.change === what).length;
    days.push({
      day,
      video_count: now.size,
      size_bytes: bytes,
      duration_seconds: bytes / 1000,
      added_count: count('added'),
      removed_count: count('removed'),
      edited_count: count('edited'),
      restored_count: count('restored'),
      is_live: day === calendar.dayAt(NOW) ? 1 : 0,
    });
  }
  return days;
}

const nextDay = (day: string) => toTimestamp(fromTimestamp(`${day} 00:00:00`) + 86_400_000).slice(0, 10);

const COLUMNS =
  'day, video_count, size_bytes, duration_seconds, added_count, removed_count, edited_count, restored_count, is_live';

describe('package_daily', () => {
  it('is the catalogue at the end of each day of the zone, with additions, removals and edits', async () => {
    const zone = fc.constantFrom('Asia/Seoul', 'Europe/Berlin', 'America/St_Johns', 'UTC');
    const history = fc.array(step, { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(history, zone, async (steps, timezone) => {
        const { sql, story } = play(steps);
        const { select } = await published(liveFileWith(packageRow(101), ...sql), { timezone, now: NOW });
        expect(select(`select ${COLUMNS} from package_daily order by day`)).toEqual(
          expected(story, timezone),
        );
      }),
      { seed: 5, numRuns: Number(process.env.VODHOUSE_RUNS ?? 15) },
    );
  });

  it('begins with the first walk of a package that never had a video, and not before', async () => {
    const live = liveFileWith(
      packageRow(101, { first_walked_at: '2026-03-08 16:00:00', walked_at: '2026-03-09 00:00:00' }),
      packageRow(102),
      packageRow(103, { first_walked_at: '2026-03-09 14:00:00' }),
      videoRow(1, { package_id: 103, changed_at: '2026-03-08 14:59:59' }),
    );
    const { select } = await published(live);
    const days =
      'select package_key, day, video_count, is_walked from package_daily order by package_key, day';
    expect(select(days)).toEqual([
      { package_key: 'main/101', day: '2026-03-09', video_count: 0, is_walked: 0 },
      { package_key: 'main/101', day: '2026-03-10', video_count: 0, is_walked: 0 },
      { package_key: 'main/103', day: '2026-03-08', video_count: 1, is_walked: 0 },
      { package_key: 'main/103', day: '2026-03-09', video_count: 1, is_walked: 0 }, // its first walk goes on
      { package_key: 'main/103', day: '2026-03-10', video_count: 1, is_walked: 0 },
    ]);
  });

  it('counts the videos that leave with their package, and those that return with it', async () => {
    const live = liveFileWith(
      packageRow(101, { retired_at: null }),
      videoRow(1, { change: 'imported' }),
      videoRow(2),
      change(1, '2026-03-03 15:00:00', "removed_at = '2026-03-03 15:00:00', change = 'retired'"), // the first moment of the 4th in Seoul
      change(2, '2026-03-03 15:00:00', "removed_at = '2026-03-03 15:00:00', change = 'retired'"),
      change(2, '2026-03-05 15:00:00', 'removed_at = null'),
    );
    const { select } = await published(live, { now: Date.parse('2026-03-06T03:00:00Z') });
    const counts = 'video_count, imported_count, added_count, retired_count, returned_count';
    const rows = select(`select day, ${counts} from package_daily order by day`).map((row) =>
      Object.values(row),
    );
    expect(rows).toEqual([
      ['2026-03-01', 2, 1, 1, 0, 0],
      ['2026-03-02', 2, 0, 0, 0, 0],
      ['2026-03-03', 2, 0, 0, 0, 0],
      ['2026-03-04', 0, 0, 0, 2, 0],
      ['2026-03-05', 0, 0, 0, 0, 0],
      ['2026-03-06', 1, 0, 0, 0, 1],
    ]);
  });

  it('tells a day without a walk from a day without changes', async () => {
    const live = liveFileWith(
      packageRow(101),
      videoRow(1),
      insert('package_day', { account: 'main', package_id: 101, date: '2026-03-01', videos: 1 }),
      insert('package_day', { account: 'main', package_id: 101, date: '2026-03-03', videos: 1 }),
    );
    const { select } = await published(live, { now: Date.parse('2026-03-03T03:00:00Z') });
    expect(select('select day, is_walked from package_daily order by day')).toEqual([
      { day: '2026-03-01', is_walked: 1 },
      { day: '2026-03-02', is_walked: 0 },
      { day: '2026-03-03', is_walked: 1 },
    ]);
  });

  it('separates the packages', async () => {
    const live = liveFileWith(
      packageRow(101),
      packageRow(102),
      videoRow(1),
      videoRow(1, { package_id: 102, filesize: 7 }),
      videoRow(2, { package_id: 102, filesize: 8 }),
    );
    const { select } = await published(live, { now: Date.parse('2026-03-01T04:00:00Z') });
    expect(
      select('select package_key, video_count, size_bytes, added_count from package_daily order by 1'),
    ).toEqual([
      { package_key: 'main/101', video_count: 1, size_bytes: 1_073_741_824, added_count: 1 },
      { package_key: 'main/102', video_count: 2, size_bytes: 15, added_count: 2 },
    ]);
  });
});

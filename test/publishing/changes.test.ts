/** Changes, states and days of the published file tell the same. */
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import { CHANGES } from '../../src/database/schema/values.ts';
import { liveFileWith, packageRow } from '../support/fixtures/filled-live-file.ts';
import { published } from '../support/fixtures/published-file.ts';
import { videoChanges, type History } from '../support/models/video-changes.ts';

vi.setConfig({ testTimeout: 120_000 });

type Select = Awaited<ReturnType<typeof published>>['select'];

const ofEach = (format: (change: string) => string, separator: string) => CHANGES.map(format).join(separator);

const VALID = `from video_versions v where v.package_key = d.package_key
  and v.valid_from < ends_at and (v.valid_to is null or v.valid_to >= ends_at) and not v.is_removed`;

/** Queries for rows that no file may have. */
const CONTRADICTIONS = {
  'a day of a package that counts other changes than those of the day':
    () => `select d.package_key, d.day, c.* from package_daily d
left join (
  select package_key, changed_day, ${ofEach((change) => `count(*) filter (where change = '${change}') as ${change}`, ', ')}
  from video_versions group by package_key, changed_day
) c on c.package_key = d.package_key and c.changed_day = d.day
where ${ofEach((change) => `d.${change}_count <> coalesce(c.${change}, 0)`, ' or ')}`,

  'a change on no day of its package': () => `select * from video_changes c where not exists (
  select 1 from package_daily d where d.package_key = c.package_key and d.day = c.changed_day)`,

  'a size that is not that of the day before with the changes of the day': () => `select * from (
  select package_key, day, video_count,
    imported_count + added_count + restored_count + returned_count - removed_count - retired_count as growth,
    lag(video_count, 1, 0) over (partition by package_key order by day) as before
  from package_daily
) where video_count <> before + growth`,

  'a size that is not that of the states at the end of the day': () => `select * from (
  select package_key, d.day, video_count, d.size_bytes, (select count(*) ${VALID}) as videos,
    (select coalesce(sum(size_bytes), 0) ${VALID}) as bytes
  from package_daily d
  join dates on dates.day = d.day
) where video_count <> videos or size_bytes <> bytes`,

  'states without a number, or with two present ones':
    () => `select video_key from video_versions group by video_key
having min(version_number) <> 1 or max(version_number) <> count(*) or count(distinct version_number) <> count(*)
  or sum(is_current) <> 1`,

  'a state that does not end where the next one begins': () => `select * from (
  select video_key, version_number, is_current, valid_to,
    lead(valid_from) over (partition by video_key order by version_number) as next
  from video_versions
) where valid_to is not next or is_current <> (next is null)`,

  'a change that is in no state, or the other way round': () =>
    `select version_key, change from video_changes except select version_key, change from video_versions
union all
select version_key, change from video_versions except select version_key, change from video_changes`,

  'a last state that is not the row in all_videos': (select: Select) => {
    const columns = select(`select name from pragma_table_info('all_videos')
where name in (select name from pragma_table_info('video_versions'))`).map(({ name }) => String(name));
    const names = columns.join(', ');
    return `select ${names} from all_videos except select ${names} from video_versions v
where version_number = (select max(version_number) from video_versions l where l.video_key = v.video_key)`;
  },
};

function findContradictions(select: Select): Record<string, unknown> {
  const found = Object.entries(CONTRADICTIONS).map(
    ([words, query]) => [words, select(query(select))] as const,
  );
  return Object.fromEntries(found.filter(([, rows]) => rows.length > 0));
}

/** Runs the check on files published from random histories. */
async function expectOfAll(check: (select: Select, history: History) => void, seed: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(videoChanges, async (history) => {
      const { sql, timezone, end } = history;
      const live = liveFileWith(packageRow(101), packageRow(102), ...sql);
      const { select } = await published(live, { timezone, now: end + DAY_MS });
      check(select, history);
    }),
    { seed, numRuns: Number(process.env.VODHOUSE_RUNS ?? 25) },
  );
}

it('days, changes, states and videos do not contradict each other, in any history and zone', async () => {
  await expectOfAll((select) => expect(findContradictions(select)).toEqual({}), 1);
});

it('changes are those that happened: with kind, moment, day, and the edited fields with their values before and after', async () => {
  const columns = `version_key, change, changed_at, changed_day, field, value_before, value_after`;
  await expectOfAll((select, { changes }) => {
    const rows = select(`select ${columns} from video_changes order by change_seq, field`);
    expect(rows).toEqual(changes);
    const named = select(
      `select changed_fields from video_versions where change = 'edited' order by change_seq`,
    );
    const fields = named.map((row) => String(row['changed_fields']).split(' ').length);
    expect(fields.reduce((sum, count) => sum + count, 0)).toBe(
      changes.filter(({ field }) => field !== null).length,
    );
  }, 2);
});

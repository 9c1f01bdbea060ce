/** Changes, states and days of the published file tell the same. */
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { DAY_MS, toTimestamp } from '../../src/lib/clock.ts';
import { CHANGES, type Change } from '../../src/database/schema/values.ts';
import {
  liveFileWith,
  packageRow,
  change,
  literal,
  videoRow,
  type Cell,
} from '../support/fixtures/filled-live-file.ts';
import { published } from '../support/fixtures/published-file.ts';
import { createCalendar } from '../../src/lib/calendar.ts';
import type { ValueOf } from '../support/models/steps.ts';

vi.setConfig({ testTimeout: 120_000 });

type Fields = Readonly<Record<keyof typeof PUBLISHED, Cell>>;

/**
 * The published column of each field that the histories edit, or its own name, and what is published of its
 * value.
 */
const PUBLISHED = {
  title: ['title', (value: Cell) => value || null],
  tag: ['tags', (value: Cell) => value || null],
  encoding_success: ['is_encoded', (value: Cell) => (value === 'Y' ? '1' : '0')],
  filesize: ['size_bytes', (value: Cell) => (value === null ? null : String(value))],
  access_key: ['access_key', () => null],
  extra: ['other_fields', (value: Cell) => value],
} as const;

const step = fc.record({
  packageId: fc.constantFrom(101, 102),
  id: fc.integer({ min: 1, max: 3 }),
  what: fc.constantFrom('show', 'show', 'remove'),
  fields: fc.record({
    title: fc.constantFrom('a', 'b', '', null),
    tag: fc.constantFrom('x', ''),
    encoding_success: fc.constantFrom('Y', 'N'),
    filesize: fc.constantFrom(1, 10, null),
    access_key: fc.constantFrom('one', 'two'),
    extra: fc.constantFrom('{"mood":"good"}', null),
  }),
  /** Seconds after the previous step; or until the first or the last second of a day of the zone. */
  wait: fc.constantFrom(0, 1, 59, 60, 3600, 36_000, 86_400, 172_800, 'first', 'last'),
  /** How many seconds before it was stored a removal was proved. */
  proofAge: fc.constantFrom(0, 1, 90, 7200, 86_400),
});
type Step = ValueOf<typeof step>;

/** Zones with whole and half hours, and with days that have 23 or 25 hours, or begin at one o'clock. */
const ZONES = ['Asia/Seoul', 'America/New_York', 'UTC', 'Asia/Kolkata', 'America/Santiago'];

/** Days before the clocks change in New York, and in Santiago. */
const BEGINNINGS = [
  '2026-03-06T10:00:00Z',
  '2025-10-31T10:00:00Z',
  '2026-04-03T10:00:00Z',
  '2026-09-04T10:00:00Z',
];

/** One row of `video_changes`, as it must be published. */
interface ExpectedChange {
  version_key: string;
  change: Change;
  changed_at: string;
  changed_day: string;
  field: string | null;
  value_before: Cell;
  value_after: Cell;
}

interface State {
  fields: Fields;
  isRemoved: boolean;
  number: number;
}

interface History {
  timezone: string;
  sql: string[];
  changes: ExpectedChange[];
  /** A moment at which it is over. */
  end: number;
}

/** Histories of up to 30 steps. */
const videoChanges: fc.Arbitrary<History> = fc
  .record({
    steps: fc.array(step, { minLength: 1, maxLength: 30 }),
    timezone: fc.constantFrom(...ZONES),
    begin: fc.constantFrom(...BEGINNINGS).map((text) => Date.parse(text)),
  })
  .map(play);

function play({ steps, timezone, begin }: { steps: Step[]; timezone: string; begin: number }): History {
  const calendar = createCalendar(timezone);
  const states = new Map<string, State>();
  const history: History = { timezone, sql: [], changes: [], end: begin };
  for (const each of steps) {
    history.end = waitFor(each.wait, history.end, timezone);
    const key = `main/${each.packageId}/${each.id}`;
    const former = states.get(key);
    const next = nextState(each, former, history.end);
    if (next === null) continue;
    states.set(key, next.state);
    history.sql.push(next.sql);
    const change = {
      version_key: `${key}/${next.state.number}`,
      change: nameChange(former, next.state),
      changed_at: toTimestamp(history.end),
      changed_day: calendar.dayAt(history.end),
    };
    const edits = change.change === 'edited' && former ? listEdits(former.fields, next.state.fields) : [];
    const rows = edits.length > 0 ? edits : [{ field: null, value_before: null, value_after: null }];
    history.changes.push(...rows.map((row) => ({ ...change, ...row })));
  }
  return history;
}

function waitFor(wait: Step['wait'], now: number, timezone: string): number {
  if (typeof wait === 'number') return now + wait * 1000;
  const calendar = createCalendar(timezone);
  const day = calendar.dayAt(now);
  const [{ endsAt } = { endsAt: now }] = calendar.days(day, day);
  return wait === 'first' ? endsAt : Math.max(endsAt - 1000, now);
}

/** The state after a step with the SQL that makes it; null: nothing changes. */
function nextState({ packageId, id, what, fields, proofAge }: Step, former: State | undefined, now: number) {
  const at = toTimestamp(now);
  const number = (former?.number ?? 0) + 1;
  if (what === 'remove') {
    if (!former || former.isRemoved) return null;
    const missing = toTimestamp(now - proofAge * 1000);
    const sql = change(id, at, `removed_at = '${at}', first_missing_at = '${missing}'`, packageId);
    return { sql, state: { fields: former.fields, isRemoved: true, number } };
  }
  const state = { fields, isRemoved: false, number };
  if (!former) {
    const row = { ...fields, package_id: packageId, first_seen_at: at, changed_at: at };
    return { sql: videoRow(id, row), state };
  }
  if (!former.isRemoved && listDiffering(former.fields, fields).length === 0) return null;
  const values = Object.entries(fields).map(([name, value]) => `${name} = ${literal(value)}`);
  const sql = change(id, at, ['removed_at = null', ...values].join(', '), packageId);
  return { sql, state };
}

function nameChange(former: State | undefined, state: State): Change {
  if (state.isRemoved) return 'removed';
  if (!former) return 'added';
  return former.isRemoved ? 'restored' : 'edited';
}

/** The rows of the fields that differ, by their published names. */
function listEdits(former: Fields, fields: Fields) {
  return listDiffering(former, fields)
    .map((name) => {
      const [field, show] = PUBLISHED[name];
      return { field, value_before: show(former[name]), value_after: show(fields[name]) };
    })
    .sort((one, other) => (one.field < other.field ? -1 : 1));
}

const listDiffering = (former: Fields, fields: Fields) =>
  (Object.keys(PUBLISHED) as (keyof Fields)[]).filter((name) => former[name] !== fields[name]);

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
    (select coalesce(sum(size_bytes), 0) ${VALID}) as bytes,
    d.duration_seconds, (select coalesce(sum(duration_seconds), 0) ${VALID}) as seconds
  from package_daily d
  join dates on dates.day = d.day
) where video_count <> videos or size_bytes <> bytes or duration_seconds <> seconds`,

  'a package without each of its days up to today, which alone is live':
    () => `select package_key from package_daily group by package_key
having count(*) <> julianday(max(day)) - julianday(min(day)) + 1 or sum(is_live) <> 1
  or max(day) filter (where is_live) <> max(day)`,

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
    { seed, numRuns: Number(process.env.VODHOUSE_RUNS ?? 12) },
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

/** Random histories of videos in two packages: the SQL that makes them, and the changes that they consist of. */
import fc from 'fast-check';
import { createCalendar } from '../../../src/lib/calendar.ts';
import { toTimestamp } from '../../../src/lib/clock.ts';
import type { Change } from '../../../src/database/schema/values.ts';
import { change, literal, videoRow, type Cell } from '../fixtures/filled-live-file.ts';
import type { ValueOf } from './steps.ts';

type Fields = Readonly<Record<keyof typeof PUBLISHED, Cell>>;

/** The published column of each field that the histories edit, or its own name, and what is published of its value. */
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
export interface ExpectedChange {
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

export interface History {
  timezone: string;
  sql: string[];
  changes: ExpectedChange[];
  /** A moment at which it is over. */
  end: number;
}

/** Histories of up to 30 steps. */
export const videoChanges: fc.Arbitrary<History> = fc
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

/**
 * Random histories of one package in the warehouse: pages with videos and proofs, walks that end, stop and
 * are killed, clocks that jump. The invariants of the file are checked after every step; at the end, the catalogue of
 * every moment.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { DAY_MS, fromTimestamp, toTimestamp } from '../../../src/lib/clock.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/warehouse.ts';
import { readRows, readValue, type Row } from '../fixtures/live-file.ts';
import { ACCOUNT, createWalker, EVERYTHING, PACKAGE, video, type Walk } from '../fixtures/package-walker.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { createVirtualClock, type VirtualClock } from '../clocks/virtual-clock.ts';

const HIGHEST_ID = 12;

/** Videos by id and contents, as on a page. */
type Shown = readonly { id: number; title: string }[];

export type Step =
  | {
      kind: 'page';
      shown: Shown;
      refused: readonly number[];
      proof: 'none' | 'all' | 'ends';
      violated: boolean;
    }
  | { kind: 'finish'; share: number; accept: boolean }
  | { kind: 'stop'; status: 'failed' | 'parked' | 'interrupted' }
  | { kind: 'kill' }
  | { kind: 'wait'; ms: number }
  /** The clock is set, forward or back. */
  | { kind: 'jump'; ms: number };

const id = fc.integer({ min: 1, max: HIGHEST_ID });
const shown = fc.array(fc.record({ id, title: fc.constantFrom('a', 'b') }), { maxLength: HIGHEST_ID });

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('page' as const),
      shown,
      refused: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(id, { maxLength: 2 }) },
      ),
      proof: fc.constantFrom('none' as const, 'all' as const, 'all' as const, 'ends' as const),
      violated: fc.oneof(
        { weight: 9, arbitrary: fc.constant(false) },
        { weight: 1, arbitrary: fc.constant(true) },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('finish' as const),
      share: fc.constantFrom(0, 0.5, 1),
      accept: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('stop' as const),
      status: fc.constantFrom('failed' as const, 'parked' as const, 'interrupted' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.oneof(fc.nat(7_200_000), fc.constantFrom(400, 1000, 90_000)),
    }),
  },
);

const jump: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('jump' as const),
  ms: fc.integer({ min: -400 * DAY_MS, max: 400 * DAY_MS }),
});

/** Half of the histories have clocks that jump. */
export const history: fc.Arbitrary<readonly Step[]> = fc.oneof(
  fc.array(step, { minLength: 1, maxLength: 25 }),
  fc.array(fc.oneof({ weight: 6, arbitrary: step }, { weight: 1, arbitrary: jump }), {
    minLength: 1,
    maxLength: 25,
  }),
);

/** Runs a history, and returns the violated invariants as texts; empty if there is none. */
export async function runPackageHistory(steps: readonly Step[]): Promise<string[]> {
  const path = join(temporaryFolder(), 'live.db');
  const clock = createVirtualClock('2026-03-01T12:00Z');
  let warehouse = openWarehouse(path, clock);
  let walk: Walk | null = null;
  const register = () =>
    warehouse.registerPackages([{ name: ACCOUNT, packages: [{ id: PACKAGE, name: null }] }], clock.now());
  register();
  let before = readState(path);
  const broken: string[] = [];
  const timeline: Timeline = new Map();
  for (const each of steps) {
    clock.advance(400);
    if (each.kind === 'kill') {
      warehouse.close();
      warehouse = openWarehouse(path, clock);
      walk = null;
    } else walk = await take(each, warehouse, clock, walk);
    const after = readState(path);
    broken.push(...differences(before, after, each));
    recordStates(timeline, before, after, clock.now());
    before = after;
  }
  warehouse.close();
  const hasJumped = steps.some(({ kind }) => kind === 'jump');
  return [...broken, ...findBackwardTimes(path), ...(hasJumped ? [] : findWrongMoments(path, timeline))];
}

async function take(
  each: Exclude<Step, { kind: 'kill' }>,
  warehouse: Warehouse,
  clock: VirtualClock,
  current: Walk | null,
): Promise<Walk | null> {
  if (each.kind === 'wait' || each.kind === 'jump') {
    clock.set(clock.now() + each.ms);
    return current;
  }
  const walker = createWalker(warehouse, clock);
  const walk = current ?? (await walker.begin());
  if (each.kind === 'page') {
    await walker.page(walk, createPage(each));
    return walk;
  }
  if (each.kind === 'stop') await walker.stop(walk, each.status);
  else {
    const { share, accept } = each;
    await walker.finish(walk, { share, minimum: 2, accept });
  }
  return null;
}

function createPage({ shown: list, refused, proof, violated }: Extract<Step, { kind: 'page' }>) {
  const ids = [...list.map((each) => each.id), ...refused];
  const ends = ids.length === 0 ? null : { low: Math.min(...ids), high: Math.max(...ids) };
  const range = { none: null, all: EVERYTHING, ends }[proof];
  return {
    videos: list.map((each) => video(each.id, { title: each.title })),
    refused: refused.map((each) => ({ id: each, reason: 'no', raw: `{"id":${each}}` })),
    proof: violated ? null : range,
    checkpoint: { id: ends?.low ?? null, ...(violated ? { orderViolated: true } : {}) },
  };
}

interface FileState {
  liveCount: number;
  live: number;
  seq: number;
  rows: Map<number, Row>;
  /** When each was proved, by its id. */
  candidates: Map<number, string>;
}

function readState(path: string): FileState {
  const rows = readRows(path, 'select * from video');
  return {
    liveCount: Number(readValue(path, 'select live_count from package')),
    live: Number(readValue(path, 'select count(*) from video where removed_at is null')),
    seq: Number(readValue(path, 'select change_seq from warehouse_state')),
    rows: new Map(rows.map((row) => [Number(row['id']), row])),
    candidates: new Map(
      readRows(path, 'select id, proved_at from removal_candidate').map((row) => [
        Number(row['id']),
        String(row['proved_at']),
      ]),
    ),
  };
}

function differences(before: FileState, after: FileState, each: Step): string[] {
  const broken: string[] = [];
  const check = (isMet: boolean, message: string) => {
    if (!isMet) broken.push(`${message} after ${JSON.stringify(each)}`);
  };
  const seqs = [...after.rows.values()].map((row) => Number(row['change_seq']));
  check(after.liveCount === after.live, `live_count is ${after.liveCount}, not ${after.live}`);
  check(new Set(seqs).size === seqs.length, 'a change_seq stands twice');
  check(Math.max(0, ...seqs) <= after.seq, 'a row is ahead of the counter');
  check(after.seq >= before.seq, 'the counter went back');
  check(
    [...after.candidates.keys()].every((candidate) => after.rows.get(candidate)?.['removed_at'] === null),
    'a candidate is no live row',
  );
  for (const [number, row] of before.rows)
    check(after.rows.has(number), `row ${number} (${JSON.stringify(row)}) is gone`);
  for (const [number, row] of after.rows) {
    const old = before.rows.get(number);
    const isSame = JSON.stringify(withoutStamps(old)) === JSON.stringify(withoutStamps(row));
    const isStamped = JSON.stringify(old) !== JSON.stringify(row);
    check(!isSame || !isStamped || showsTwice(each, number), `row ${number} was stamped without a change`);
    check(isSame || Number(row['change_seq']) > before.seq, `row ${number} changed without a new change_seq`);
    const wasRemoved = old !== undefined && old['removed_at'] === null && row['removed_at'] !== null;
    const wasProved = each.kind === 'finish' && before.candidates.has(number);
    check(!wasRemoved || wasProved, `row ${number} was removed unproved`);
  }
  return [...broken, ...findWrongVideos(after, each)];
}

/** A page that has a video twice with different contents may leave it unchanged after two changes. */
function showsTwice(each: Step, number: number): boolean {
  return each.kind === 'page' && each.shown.filter((one) => one.id === number).length > 1;
}

/** The videos of a page are live afterwards, and no candidates. */
function findWrongVideos(after: FileState, each: Step): string[] {
  if (each.kind !== 'page') return [];
  const last = new Map(each.shown.map(({ id: number, title }) => [number, title]));
  return [...last].flatMap(([number, title]) => {
    const row = after.rows.get(number);
    const isRight = row?.['title'] === title && row['removed_at'] === null && !after.candidates.has(number);
    return isRight ? [] : [`video ${number} is shown and not stored as shown after ${JSON.stringify(each)}`];
  });
}

function withoutStamps(row: Row | undefined): Row | undefined {
  return row && { ...row, change_seq: null, changed_at: null };
}

/** The titles of each video, from which second on; null: it is removed. */
type Timeline = Map<number, { at: number; title: string | null }[]>;

/** A removal is valid from its proof on, everything else from the step on. */
function recordStates(timeline: Timeline, before: FileState, after: FileState, now: number): void {
  const titleOf = (row: Row | undefined) => (row?.['removed_at'] === null ? String(row['title']) : null);
  for (const [number, row] of after.rows) {
    const title = titleOf(row);
    if (title === titleOf(before.rows.get(number))) continue;
    const at = title === null ? before.candidates.get(number) : toTimestamp(now);
    const states = timeline.get(number) ?? [];
    timeline.set(number, [...states, { at: fromTimestamp(at ?? ''), title }]);
  }
}

/** The catalogue as it was at a moment; the end of a state is exclusive. */
const CATALOGUE = `
select id, title from video_version where removed_at is null and valid_from <= :at and :at < valid_to
union all select id, title from video where removed_at is null and changed_at <= :at
order by id`;

/** The moments at which the file has another catalogue than the steps made. */
function findWrongMoments(path: string, timeline: Timeline): string[] {
  const seconds = [...timeline.values()].flatMap((states) => states.map(({ at }) => at));
  const around = new Set(seconds.flatMap((at) => [at - 1000, at, at + 1000]));
  return [...around].flatMap((ms) => {
    const expected = [...timeline]
      .map(([number, states]) => ({
        id: number,
        title: states.findLast(({ at }) => at <= ms)?.title ?? null,
      }))
      .filter(({ title }) => title !== null)
      .sort((one, other) => one.id - other.id);
    const found = readRows(path, CATALOGUE, { at: toTimestamp(ms) });
    const isRight = JSON.stringify(found) === JSON.stringify(expected);
    return isRight
      ? []
      : [`at ${toTimestamp(ms)}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`];
  });
}

const BACKWARD = `
with state as (
  select id, change_seq, valid_from, valid_to from video_version
  union all select id, change_seq, coalesce(removed_at, changed_at), null from video),
pair as (
  select *, lag(valid_to) over (partition by id order by change_seq) as before,
    lag(valid_from) over (partition by id order by change_seq) as from_before
  from state)
select id, change_seq from pair where valid_to < valid_from or before > valid_from or from_before > valid_from
union select id, change_seq from video where removed_at < first_seen_at or changed_at < first_seen_at`;

/** Time in the file never runs backward, wherever the clock jumps. */
function findBackwardTimes(path: string): string[] {
  return readRows(path, BACKWARD).map((row) => `time runs backward: ${JSON.stringify(row)}`);
}

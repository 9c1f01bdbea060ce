/**
 * Random histories of one package in the warehouse: pages with videos and proofs, walks that end, stop and are killed, removals that
 * are held back, confirmed, accepted and struck, a config that drops the package and takes it back, clocks that jump. The invariants
 * of the file are checked after every step; at the end, the catalogue of every moment.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { DAY_MS, fromTimestamp, toTimestamp } from '../../../src/lib/clock.ts';
import type { Change } from '../../../src/database/schema/values.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/warehouse.ts';
import { createVirtualClock, type VirtualClock } from '../clocks/virtual-clock.ts';
import { readRows, readValue, type Row } from '../fixtures/live-file.ts';
import { ACCOUNT, createWalker, EVERYTHING, PACKAGE, video, type Walk } from '../fixtures/package-walker.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { often, steps, type Step } from './steps.ts';
import { transact } from '../../../src/database/transaction.ts';
import { registerPackages } from '../../../src/warehouse/packages.ts';

const HIGHEST_ID = 12;

interface History {
  path: string;
  clock: VirtualClock;
  warehouse: Warehouse;
  walk: Walk | null;
  /** The config does not have the package: nothing walks it. */
  isLeft: boolean;
  /** A full walk has ended before. */
  isImported: boolean;
  hasJumped: boolean;
}

/** What a step did: videos by id and contents, as on its page; whether it ended a walk, or took the package out of the config. */
interface Done {
  shown?: readonly { id: number; title: string }[];
  isFinished?: boolean;
  isLeaving?: boolean;
}

const id = fc.integer({ min: 1, max: HIGHEST_ID });

const pages = steps(
  'page',
  {
    shown: fc.array(fc.record({ id, title: fc.constantFrom('a', 'b') }), { maxLength: HIGHEST_ID }),
    refused: often(4, [], fc.array(id, { maxLength: 2 })),
    proof: fc.constantFrom('none', 'all', 'all', 'ends'),
    isViolated: often(9, false, fc.constant(true)),
  },
  async (history: History, { shown, refused, proof, isViolated }): Promise<Done> => {
    if (history.isLeft) return {};
    const walker = createWalker(history.warehouse, history.clock);
    const walk = (history.walk ??= await walker.begin());
    const ids = [...shown.map((each) => each.id), ...refused];
    const ends = ids.length === 0 ? null : { low: Math.min(...ids), high: Math.max(...ids) };
    const range = proof === 'all' ? EVERYTHING : proof === 'ends' ? ends : null;
    await walker.page(walk, {
      videos: shown.map((each) => video(each.id, { title: each.title })),
      refused: refused.map((each) => ({ id: each, reason: 'no', raw: `{"id":${each}}` })),
      proof: isViolated ? null : range,
      checkpoint: { id: ends?.low ?? null, ...(isViolated ? { orderViolated: true } : {}) },
    });
    return { shown };
  },
);

const finishes = steps(
  'finish',
  { share: fc.constantFrom(0, 0.5, 1), accept: fc.boolean() },
  async (history: History, given): Promise<Done> => {
    if (history.isLeft) return {};
    const walker = createWalker(history.warehouse, history.clock);
    await walker.finish(history.walk ?? (await walker.begin()), { ...given, minimum: 2 });
    history.walk = null;
    return { isFinished: true };
  },
);

const stops = steps(
  'stop',
  { status: fc.constantFrom('failed', 'parked', 'interrupted') },
  async (history: History, { status }): Promise<Done> => {
    if (history.isLeft) return {};
    const walker = createWalker(history.warehouse, history.clock);
    await walker.stop(history.walk ?? (await walker.begin()), status);
    history.walk = null;
    return {};
  },
);

const kills = steps('kill', {}, (history: History): Done => {
  history.warehouse.close();
  history.warehouse = openWarehouse(history.path, history.clock);
  history.walk = null;
  return {};
});

const waits = steps(
  'wait',
  { ms: fc.oneof(fc.nat(7_200_000), fc.constantFrom(400, 1000, 90_000)) },
  ({ clock }: History, { ms }): Done => {
    clock.advance(ms);
    return {};
  },
);

/** A run begins with a config that has the package, or no longer; no other run is under way then. */
const configures = steps('configure', { isLeft: fc.boolean() }, (history: History, { isLeft }): Done => {
  const isLeaving = isLeft && !history.isLeft;
  history.isLeft = isLeft;
  history.walk = null;
  register(history);
  return { isLeaving };
});

function register({ warehouse, clock, isLeft }: History): void {
  const packages = isLeft ? [] : [{ id: PACKAGE, name: null }];
  transact(warehouse.db, (tx) => registerPackages(tx, [{ name: ACCOUNT, packages }], clock.now()));
}

/** The clock is set, forward or back. */
const jumps = steps(
  'jump',
  { days: fc.integer({ min: -400, max: 400 }) },
  (history: History, { days }): Done => {
    history.clock.advance(days * DAY_MS + 17_000);
    history.hasJumped = true;
    return {};
  },
);

type HistoryStep = Step<History, Done | Promise<Done>>;

const step: fc.Arbitrary<HistoryStep> = fc.oneof(
  { weight: 6, arbitrary: pages },
  { weight: 4, arbitrary: finishes },
  { weight: 2, arbitrary: waits },
  { weight: 1, arbitrary: stops },
  { weight: 1, arbitrary: kills },
  { weight: 1, arbitrary: configures },
);
const withJumps = fc.oneof({ weight: 6, arbitrary: step }, { weight: 1, arbitrary: jumps });

/** Steps that mean something together: a proof that takes effect later, and a package that leaves and comes back. */
const together = fc.oneof(
  fc.tuple(pages, waits, finishes),
  fc.tuple(pages, configures, waits, configures, pages),
);

/** Half of the histories have clocks that jump. */
export const packageHistory: fc.Arbitrary<readonly HistoryStep[]> = fc.oneof(
  ...[step, withJumps].map((each) =>
    fc
      .array(fc.oneof({ weight: 3, arbitrary: fc.tuple(each) }, { weight: 1, arbitrary: together }), {
        minLength: 1,
        maxLength: 16,
      })
      .map((parts): HistoryStep[] => parts.flat()),
  ),
);

/** Runs a history, and returns the violated invariants as texts; empty if there is none. */
export async function runPackageHistory(all: readonly HistoryStep[]): Promise<string[]> {
  const path = join(temporaryFolder(), 'live.db');
  const clock = createVirtualClock('2026-03-01T12:00Z');
  const history: History = {
    path,
    clock,
    warehouse: openWarehouse(path, clock),
    walk: null,
    isLeft: false,
    isImported: false,
    hasJumped: false,
  };
  register(history);
  let before = readState(path);
  const broken: string[] = [];
  const timeline: Timeline = new Map();
  for (const each of all) {
    clock.advance(400);
    const done = await each.act(history);
    const after = readState(path);
    const all = [...findBroken(before, after, done), ...findMisdated(before, after, history)];
    broken.push(...all.map((text) => `${text} after ${String(each)}`));
    recordStates(timeline, before, after, clock.now());
    history.isImported ||= done.isFinished ?? false;
    before = after;
  }
  history.warehouse.close();
  const backward = readRows(path, BACKWARD).map((row) => `time runs backward: ${JSON.stringify(row)}`);
  return [...broken, ...backward, ...(history.hasJumped ? [] : findWrongMoments(path, timeline))];
}

function readState(path: string) {
  const candidates = readRows(path, 'select id, proved_at from removal_candidate');
  return {
    liveCount: Number(readValue(path, 'select live_count from package')),
    lastCount: readValue(path, 'select last_count from package'),
    seq: Number(readValue(path, 'select change_seq from warehouse_state')),
    rows: new Map(readRows(path, 'select * from video').map((row) => [Number(row['id']), row])),
    versions: readRows(path, 'select * from video_version order by rowid'),
    /** When each was proved, by its id. */
    candidates: new Map(candidates.map((row) => [Number(row['id']), String(row['proved_at'])])),
  };
}

type FileState = ReturnType<typeof readState>;

const isLive = (row: Row | undefined) => row?.['removed_at'] === null;
const STAMPS = ['change_seq', 'changed_at', 'version_number', 'change', 'changed_fields', 'run_id'];
const withoutStamps = (row: Row | undefined) =>
  JSON.stringify(Object.entries(row ?? {}).filter(([name]) => !STAMPS.includes(name)));

function findBroken(
  before: FileState,
  after: FileState,
  { shown = [], isFinished = false, isLeaving = false }: Done,
): string[] {
  const broken: string[] = [];
  const check = (isMet: boolean, message: string) => {
    if (!isMet) broken.push(message);
  };
  const rows = [...after.rows.values()];
  const seqs = rows.map((row) => Number(row['change_seq']));
  check(after.liveCount === rows.filter(isLive).length, `live_count is ${after.liveCount}`);
  check(new Set(seqs).size === seqs.length, 'a change_seq stands twice');
  check(Math.max(before.seq, ...seqs) <= after.seq, 'the counter went back, or a row is ahead of it');
  check(
    [...after.candidates.keys()].every((each) => isLive(after.rows.get(each))),
    'a candidate is no live row',
  );
  for (const number of before.rows.keys()) check(after.rows.has(number), `row ${number} is gone`);
  for (const [number, row] of after.rows) {
    const old = before.rows.get(number);
    const isSame = withoutStamps(old) === withoutStamps(row);
    const isStamped = old?.['change_seq'] !== row['change_seq'] || old?.['changed_at'] !== row['changed_at'];
    // a page that has a video twice with different contents may leave it unchanged after two changes
    const isTwice = shown.filter((each) => each.id === number).length > 1;
    check(!isSame || !isStamped || isTwice, `row ${number} was stamped without a change`);
    check(isSame || Number(row['change_seq']) > before.seq, `row ${number} changed without a new change_seq`);
    const isGone = isLive(old) && !isLive(row);
    const isProved = isFinished && before.candidates.has(number);
    check(!isGone || isLeaving || isProved, `row ${number} was removed unproved`);
    check(
      !isGone || row['change'] === (isLeaving ? 'retired' : 'removed'),
      `row ${number} is ${row['change']}`,
    );
  }
  if (isLeaving) {
    check(
      after.liveCount === 0 && after.candidates.size === 0,
      'a package that left has videos or candidates',
    );
    check(after.lastCount === before.liveCount, `last_count is ${after.lastCount}, not ${before.liveCount}`);
  }
  for (const [number, title] of new Map(shown.map((each) => [each.id, each.title]))) {
    const row = after.rows.get(number);
    const isRight = row?.['title'] === title && isLive(row) && !after.candidates.has(number);
    check(isRight, `video ${number} is shown and not stored as shown`);
  }
  return broken;
}

/** History is only appended: what a step stores has a new number, the time of the step, and the kind that its states tell. */
function findMisdated(before: FileState, after: FileState, history: History): string[] {
  const stored = after.versions.slice(0, before.versions.length);
  if (JSON.stringify(stored) !== JSON.stringify(before.versions)) return ['a stored version changed'];
  const now = toTimestamp(history.clock.now());
  const former = new Map(before.rows);
  const states = [...after.versions.slice(stored.length), ...after.rows.values()];
  return states
    .sort((one, other) => Number(one['change_seq']) - Number(other['change_seq']))
    .flatMap((state): string[] => {
      const old = former.get(Number(state['id']));
      former.set(Number(state['id']), state);
      if (old?.['change_seq'] === state['change_seq']) return [];
      const text = `state ${state['id']} ${state['change']} at ${state['changed_at']}`;
      const kind = nameChange(old, state, history.isImported);
      const proof = kind === 'removed' ? before.candidates.get(Number(state['id'])) : null;
      return [
        ...(Number(state['change_seq']) > before.seq ? [] : [`${text} has an old number`]),
        ...(history.hasJumped || state['changed_at'] === now ? [] : [`${text} was stored at ${now}`]),
        ...(state['change'] === kind ? [] : [`${text} is ${kind}`]),
        ...(history.hasJumped || isLive(state) || state['first_missing_at'] === proof
          ? []
          : [`${text} was proved at ${proof}, not ${state['first_missing_at']}`]),
      ];
    });
}

function nameChange(old: Row | undefined, state: Row, isImported: boolean): Change {
  if (!old) return isImported ? 'added' : 'imported';
  if (!isLive(state)) return state['change'] === 'retired' ? 'retired' : 'removed';
  if (isLive(old)) return 'edited';
  return old['change'] === 'retired' ? 'returned' : 'restored';
}

/** The titles of each video, from which second on; null: it is removed. */
type Timeline = Map<number, { at: number; title: string | null }[]>;

function recordStates(timeline: Timeline, before: FileState, after: FileState, now: number): void {
  const titleOf = (row: Row | undefined) => (isLive(row) ? String(row?.['title']) : null);
  for (const [number, row] of after.rows) {
    const title = titleOf(row);
    if (title === titleOf(before.rows.get(number))) continue;
    const at = fromTimestamp(toTimestamp(now));
    timeline.set(number, [...(timeline.get(number) ?? []), { at, title }]);
  }
}

/** The catalogue as it was at a moment; the end of a state is exclusive. */
const CATALOGUE = `
select id, title from video_version where removed_at is null and changed_at <= :at and :at < valid_to
union all select id, title from video where removed_at is null and changed_at <= :at
order by id`;

/** The moments at which the file has another catalogue than the steps made. */
function findWrongMoments(path: string, timeline: Timeline): string[] {
  const moments = [...timeline.values()].flatMap((states) =>
    states.flatMap(({ at }) => [at - 1000, at, at + 1000]),
  );
  return [...new Set(moments)].flatMap((ms) => {
    const expected = [...timeline]
      .map(([number, states]) => ({
        id: number,
        title: states.findLast(({ at }) => at <= ms)?.title ?? null,
      }))
      .filter(({ title }) => title !== null)
      .sort((one, other) => one.id - other.id);
    const [found, wanted] = [readRows(path, CATALOGUE, { at: toTimestamp(ms) }), expected].map((rows) =>
      JSON.stringify(rows),
    );
    return found === wanted ? [] : [`at ${toTimestamp(ms)}: ${found}, not ${wanted}`];
  });
}

/** Time in the file never runs backward, wherever the clock jumps, and a state begins where the one before it ends. */
const BACKWARD = `
with state as (
  select id, change_seq, changed_at, valid_to from video_version
  union all select id, change_seq, changed_at, null from video),
pair as (
  select *, lag(valid_to) over (partition by id order by change_seq) as ended_before,
    lag(changed_at) over (partition by id order by change_seq) as began_before
  from state)
select id, change_seq from pair where valid_to < changed_at or ended_before <> changed_at or began_before > changed_at
union select id, change_seq from video
where changed_at < first_seen_at or removed_at <> changed_at or first_missing_at > removed_at`;

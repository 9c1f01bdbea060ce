/** One package of a simulated service, with its past by a virtual clock (ms), and the changes that it can have between two requests. */
import fc from 'fast-check';
import { listBody, videoRecord } from '../fixtures/service-responses.ts';
import { steps, type Step } from './steps.ts';

/** The order of the list for any request. */
export interface Behaviour {
  /** By id; by id as text; as the videos arrived; by a fixed hash of the id; in another order at each request. */
  order: 'id' | 'text' | 'arrival' | 'hash' | 'shuffled';
  /** The effective page size: the requested one; that up to `size`; always `size`. */
  size: { kind: 'requested' } | { kind: 'clamped' | 'fixed'; size: number };
  /** The error of `totalcount`. */
  count: -1 | 0 | 1;
  /** `totalcount` stops here; null: it does not. */
  countStopsAt: number | null;
  /** Whether `sort_direction=desc` has an effect, and whether the effective direction is echoed. */
  direction: { honoured: boolean; echoed: boolean };
}

export type Fields = Record<string, unknown>;

export interface PageQuery {
  page: number;
  size: number;
  isDescending: boolean;
}

/** The paging data of a response. */
export interface PageResult {
  totalpage: number;
  totalcount: number;
  pagesize: number;
  ids: readonly number[];
}

export interface ListedPackage {
  behaviour: Behaviour;
  /** In the order of arrival. */
  records: Map<number, Fields>;
  /** When each id was listed; `to` is Infinity while it is. */
  presences: Map<number, { from: number; to: number }[]>;
  /** When each record was written last. */
  written: Map<number, number>;
  /** The highest id that was ever listed. */
  highest: number;
  /** When ids were inserted below the highest id: they may move other videos past a walk. */
  insertions: { id: number; at: number }[];
  answers: number;
}

/** A shorter list is never shuffled: it might be sorted by chance. */
const LEAST_SHUFFLED = 8;

export const createListedPackage = (behaviour: Behaviour): ListedPackage => ({
  behaviour,
  records: new Map(),
  presences: new Map(),
  written: new Map(),
  highest: 0,
  insertions: [],
  answers: 0,
});

const rising = (ids: Iterable<number>) => [...ids].sort((one, other) => one - other);
/** The ids listed now, rising. */
export const listIds = ({ records }: ListedPackage): number[] => rising(records.keys());

/** Removed and restored at the same moment counts as never removed: no request was in between. */
export function addVideo(listed: ListedPackage, id: number, at: number, fields: Fields = {}): void {
  listed.records.set(id, videoRecord(id, fields));
  listed.written.set(id, at);
  const presences = listed.presences.get(id) ?? [];
  listed.presences.set(id, presences);
  const last = presences.at(-1);
  const isBack = last?.to === at;
  if (isBack) last.to = Infinity;
  else presences.push({ from: at, to: Infinity });
  if (id < listed.highest && !isBack) listed.insertions.push({ id, at });
  listed.highest = Math.max(listed.highest, id);
}

function edit({ records, written }: ListedPackage, id: number, at: number, fields: Fields): void {
  records.set(id, { ...records.get(id), ...fields });
  written.set(id, at);
}

function remove(listed: ListedPackage, id: number, at: number): void {
  listed.records.delete(id);
  const presences = listed.presences.get(id) ?? [];
  const last = presences.at(-1);
  if (last?.from === at) presences.pop();
  else if (last) last.to = at;
}

export const wasListedAt = ({ presences }: ListedPackage, id: number, moment: number): boolean =>
  presences.get(id)?.some(({ from, to }) => from <= moment && moment < to) ?? false;

/** From that moment on without interruption until now. */
export function isListedSince({ presences }: ListedPackage, id: number, moment: number): boolean {
  const last = presences.get(id)?.at(-1);
  return last !== undefined && last.to === Infinity && last.from <= moment;
}

/** The effective page size for a requested one. */
export function getEffectiveSize({ size }: Behaviour, requested: number): number {
  if (size.kind === 'requested') return requested;
  return size.kind === 'fixed' ? size.size : Math.min(size.size, requested);
}

/** The response to a request. */
export function answerPage(listed: ListedPackage, query: PageQuery): { body: string; result: PageResult } {
  const { behaviour, records: all } = listed;
  listed.answers++;
  const { page } = query;
  const pagesize = getEffectiveSize(behaviour, query.size);
  const isReversed = query.isDescending && behaviour.direction.honoured;
  const order = isReversed ? inOrder(listed).reverse() : inOrder(listed);
  const ids = order.slice((page - 1) * pagesize, page * pagesize);
  const totalcount = Math.max(0, Math.min(all.size + behaviour.count, behaviour.countStopsAt ?? Infinity));
  const paging = { page, pagesize, totalcount, totalpage: Math.ceil(totalcount / pagesize) };
  const sort_direction = behaviour.direction.echoed ? (isReversed ? 'DESC' : 'ASC') : '';
  const body = listBody({ records: ids.map((id) => all.get(id)), sort_direction, ...paging });
  return { body, result: { ...paging, ids } };
}

function inOrder(listed: ListedPackage): number[] {
  const { order } = listed.behaviour;
  if (order === 'arrival') return [...listed.records.keys()];
  const ids = listIds(listed);
  if (order === 'text') return ids.map(String).sort().map(Number);
  if (order === 'id' || (order === 'shuffled' && ids.length < LEAST_SHUFFLED)) return ids;
  const salt = order === 'hash' ? 101 : listed.answers;
  return ids.sort((one, other) => scatter(one, salt) - scatter(other, salt) || one - other);
}

/** A pseudo-random number, the same for the same two numbers (the last steps of MurmurHash3). */
function scatter(one: number, other: number): number {
  let hash = Math.imul(one + 1, 0x9e3779b1) ^ Math.imul(other + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

interface Moment {
  listed: ListedPackage;
  at: number;
}

export type Change = Step<Moment>;

/** The last two cannot be stored: such a record is in quarantine until it is valid again. */
export const fields: fc.Arbitrary<Fields> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom<Fields>(
      { duration: 61_000 },
      { title: 'edited' },
      { cid: '' },
      { cid: null },
      { author: null },
      { author: '' },
      { season: 2 },
      { season: null },
      { season: undefined },
      { labels: { de: ['a', ''], en: null } },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom<Fields>({ duration: '' }, { duration: 12.5 }) },
);

/** Positions wrap around: any number is valid, unless the list is empty. */
const place = fc.nat(999);
const count = fc.integer({ min: 2, max: 60 });
const at = (ids: readonly number[], position: number) => ids[position % Math.max(1, ids.length)];

const removal = steps('remove', { place }, ({ listed, at: now }: Moment, given) => {
  const id = at(listIds(listed), given.place);
  if (id !== undefined) remove(listed, id, now);
});
const upload = steps(
  'upload',
  { by: fc.integer({ min: 1, max: 7 }), fields },
  ({ listed, at: now }: Moment, given) => addVideo(listed, listed.highest + given.by, now, given.fields),
);
/** Inserts an id below the highest that is not listed now: an unused one, or a removed one. */
const insertionAt = (position: fc.Arbitrary<number>) =>
  steps('insert', { place: position, fields }, ({ listed, at: now }: Moment, given) => {
    const free = Array.from({ length: Math.max(0, listed.highest - 1) }, (_, index) => index + 1);
    const id = at(
      free.filter((each) => !listed.records.has(each)),
      given.place,
    );
    if (id !== undefined) addVideo(listed, id, now, given.fields);
  });
const editing = steps('edit', { place, fields }, ({ listed, at: now }: Moment, given) => {
  const id = at(listIds(listed), given.place);
  if (id !== undefined) edit(listed, id, now, given.fields);
});
const recreation = steps('recreate', { place, fields }, ({ listed, at: now }: Moment, given) => {
  const id = at(listIds(listed), given.place);
  if (id === undefined) return;
  remove(listed, id, now);
  addVideo(listed, id, now, given.fields);
});
const purge = steps('purge', { place, count }, ({ listed, at: now }: Moment, given) => {
  const ids = listIds(listed);
  const start = given.place % Math.max(1, ids.length);
  for (const id of ids.slice(start, start + given.count)) remove(listed, id, now);
});
/** Restores removed videos with their first contents. */
const comeback = steps('return', { place, count }, ({ listed, at: now }: Moment, given) => {
  const gone = rising(listed.presences.keys()).filter((id) => !listed.records.has(id));
  const start = given.place % Math.max(1, gone.length);
  for (const id of gone.slice(start, start + given.count)) addVideo(listed, id, now);
});
/** Every record changes: a walk that skips a page is detected by the records that it did not store. */
export const retitling: Change = {
  act: ({ listed, at: now }) => {
    for (const id of listed.records.keys()) edit(listed, id, now, { title: `Video ${id} as of ${now}` });
  },
  toString: () => 'retitle',
};

const weigh = (...entries: [weight: number, arbitrary: fc.Arbitrary<Change>][]) =>
  fc.oneof(...entries.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const anyChange = weigh(
  ...([
    [6, removal],
    [4, upload],
    [4, insertionAt(place)],
    [2, editing],
  ] as [number, fc.Arbitrary<Change>][]),
  ...([
    [2, recreation],
    [1, purge],
    [1, comeback],
  ] as [number, fc.Arbitrary<Change>][]),
);
/** Changes that push nothing upward in the list: no old id returns. */
const fallingChange = weigh([6, removal], [6, upload], [2, editing]);

export const changes = fc.array(weigh([9, anyChange], [1, fc.constant(retitling)]), {
  minLength: 1,
  maxLength: 5,
});
/** Old ids that are inserted at the lower end at once. */
export const growthBelow = fc.array(insertionAt(fc.nat(20)), { minLength: 3, maxLength: 12, size: 'max' });

/** The changes before each of the next requests, in their order. */
export type Script = readonly (readonly Change[])[];

const scriptOf = (change: fc.Arbitrary<Change>) =>
  fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 12, size: 'max' });
export const script: fc.Arbitrary<Script> = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: scriptOf(fallingChange) },
  { weight: 4, arbitrary: scriptOf(anyChange) },
);

/**
 * One package of a simulated service: its list, its order, and since when (by the virtual clock, in
 * milliseconds).
 */
import { listBody, videoRecord } from '../fixtures/service-responses.ts';

/** The order of the list for any request. */
export interface Behaviour {
  /** By id; by id as text; as the videos arrived; by a fixed hash of the id; in another order at each request. */
  order: 'id' | 'text' | 'arrival' | 'hash' | 'shuffled';
  /** The effective page size: the requested one; that up to `size`; always `size`. */
  size: { kind: 'requested' } | { kind: 'clamped' | 'fixed'; size: number };
  /** The error of `totalcount`. */
  count: -1 | 0 | 1;
  /** Whether `sort_direction=desc` has an effect, and whether the effective direction is echoed. */
  direction: { honoured: boolean; echoed: boolean };
}

export const HONEST: Behaviour = {
  order: 'id',
  size: { kind: 'requested' },
  count: 0,
  direction: { honoured: true, echoed: true },
};

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
  id: number;
  behaviour: Behaviour;
  /** The ids listed now, rising. */
  ids(): number[];
  /** The ids that were listed once and are not now, rising. */
  delisted(): number[];
  record(id: number): Fields | undefined;
  /** The highest id that was ever listed. */
  highest(): number;
  add(id: number, at: number, fields?: Fields): void;
  edit(id: number, fields: Fields, at: number): void;
  remove(id: number, at: number): void;
  wasListedAt(id: number, moment: number): boolean;
  /** From that moment on without interruption until now. */
  isListedSince(id: number, moment: number): boolean;
  /** Since when its record has not changed (ms). */
  isAsItIsSince(id: number): number;
  /** When ids were inserted below the highest id: they may move other videos past a walk. */
  insertions: readonly { id: number; at: number }[];
  /** Whether the list is in the order of ids, and counted right. */
  isHonest(): boolean;
  answer(query: PageQuery): { body: string; result: PageResult };
}

/** A shorter list is never shuffled: it might be sorted by chance. */
const LEAST_SHUFFLED = 8;

interface Presence {
  from: number;
  to: number;
}

interface State {
  id: number;
  behaviour: Behaviour;
  /** In the order of arrival. */
  records: Map<number, Fields>;
  presences: Map<number, Presence[]>;
  /** When each record was written last. */
  written: Map<number, number>;
  highest: number;
  insertions: { id: number; at: number }[];
  answers: number;
}

export function createListedPackage(id: number, behaviour: Behaviour): ListedPackage {
  const presences = new Map<number, Presence[]>();
  const state: State = {
    id,
    behaviour,
    records: new Map(),
    presences,
    written: new Map(),
    highest: 0,
    insertions: [],
    answers: 0,
  };
  const listed: Omit<ListedPackage, 'behaviour'> = {
    id,
    ids: () => rising(state.records.keys()),
    delisted: () => rising(presences.keys()).filter((video) => !state.records.has(video)),
    record: (video) => state.records.get(video),
    highest: () => state.highest,
    add: (video, at, fields = {}) => add(state, video, at, fields),
    edit: (video, fields, at) => {
      state.records.set(video, { ...state.records.get(video), ...fields });
      state.written.set(video, at);
    },
    remove: (video, at) => remove(state, video, at),
    wasListedAt: (video, moment) =>
      presences.get(video)?.some(({ from, to }) => from <= moment && moment < to) ?? false,
    isListedSince: (video, moment) => {
      const last = presences.get(video)?.at(-1);
      return last !== undefined && last.to === Infinity && last.from <= moment;
    },
    isAsItIsSince: (video) => state.written.get(video) ?? Infinity,
    insertions: state.insertions,
    isHonest: () => state.behaviour.order === 'id' && state.behaviour.count === 0,
    answer: (query) => answer(state, query),
  };
  return Object.defineProperty(listed as ListedPackage, 'behaviour', {
    get: () => state.behaviour,
    set: (next: Behaviour) => (state.behaviour = next),
  });
}

function rising(ids: Iterable<number>): number[] {
  return [...ids].sort((one, other) => one - other);
}

/** Removed and restored at the same moment counts as never removed: no request was in between. */
function add(state: State, id: number, at: number, fields: Fields): void {
  state.records.set(id, videoRecord(id, fields));
  state.written.set(id, at);
  const presences = state.presences.get(id) ?? [];
  state.presences.set(id, presences);
  const last = presences.at(-1);
  const isBack = last?.to === at;
  if (isBack) last.to = Infinity;
  else presences.push({ from: at, to: Infinity });
  if (id < state.highest && !isBack) state.insertions.push({ id, at });
  state.highest = Math.max(state.highest, id);
}

function remove(state: State, id: number, at: number): void {
  state.records.delete(id);
  const presences = state.presences.get(id) ?? [];
  const last = presences.at(-1);
  if (last?.from === at) presences.pop();
  else if (last) last.to = at;
}

/** The effective page size for a requested one. */
export function getEffectiveSize({ size }: Behaviour, requested: number): number {
  if (size.kind === 'requested') return requested;
  return size.kind === 'fixed' ? size.size : Math.min(size.size, requested);
}

function answer(state: State, { page, size, isDescending }: PageQuery): { body: string; result: PageResult } {
  const { behaviour, records: all } = state;
  state.answers++;
  const pagesize = getEffectiveSize(behaviour, size);
  const isReversed = isDescending && behaviour.direction.honoured;
  const order = inOrder(state);
  if (isReversed) order.reverse();
  const ids = order.slice((page - 1) * pagesize, page * pagesize);
  const records = ids.map((id) => all.get(id));
  const totalcount = Math.max(0, all.size + behaviour.count);
  const paging = { page, pagesize, totalcount, totalpage: Math.ceil(totalcount / pagesize) };
  const direction = behaviour.direction.echoed ? (isReversed ? 'DESC' : 'ASC') : '';
  const body = listBody({ records, ...paging }).replace(
    '"sort_direction":"ASC"', // the echo precedes the records
    `"sort_direction":"${direction}"`,
  );
  return { body, result: { ...paging, ids } };
}

function inOrder(state: State): number[] {
  const { behaviour, records } = state;
  if (behaviour.order === 'arrival') return [...records.keys()];
  const ids = rising(records.keys());
  if (behaviour.order === 'text') return ids.map(String).sort().map(Number);
  if (behaviour.order === 'hash') return sortedBy(ids, (id) => scatter(id, state.id));
  if (behaviour.order === 'shuffled' && ids.length >= LEAST_SHUFFLED) {
    return sortedBy(ids, (id) => scatter(id, state.answers));
  }
  return ids;
}

function sortedBy(ids: readonly number[], key: (id: number) => number): number[] {
  return ids
    .map((id) => ({ id, key: key(id) }))
    .sort((one, other) => one.key - other.key || one.id - other.id)
    .map(({ id }) => id);
}

/** A pseudo-random number, the same for the same two numbers (the last steps of MurmurHash3). */
export function scatter(one: number, other: number): number {
  let hash = Math.imul(one + 1, 0x9e3779b1) ^ Math.imul(other + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The videos that are in one package of the made-up account right now, and the four ways in which that changes. */
import type { Search, VideoPage, VideoQuery } from '../service/server/catalogue.ts';
import type { SortItem } from '../service/videos.ts';
import {
  contains,
  createRecordCache,
  FIRST_ID,
  firstEntries,
  nextIdGap,
  newEntry,
  type Entry,
  type PackageSpec,
  type RecordCache,
} from './record-cache.ts';
import { createSortedIndex, cutPage, findRank, type SortedIndex } from './sorted-index.ts';

export interface PackageList {
  readonly packageId: number;
  /** Videos in the package now. */
  size(): number;
  /** True while a video may go: half of the number that it started with stays. */
  mayShrink(): boolean;
  /** Videos that went, and may come back. */
  goneCount(): number;
  page(query: VideoQuery): VideoPage;
  /** Adds a video with an id above all that ever were. Like the three below, it gives the id. */
  upload(): number;
  /** Changes the video at `rank`, from 0 up in order of ids. */
  edit(rank: number): number;
  remove(rank: number): number;
  /** Brings back the video that went as number `which` (from 0 up), as it was, under its old id. */
  restore(which: number): number;
}

interface State {
  /** Ascending by id. */
  readonly live: Entry[];
  readonly gone: Entry[];
  /** The orders of `live` that were asked for. */
  readonly orders: Map<SortItem, SortedIndex<Entry>>;
  /** What the last search found, as long as nothing changes: its other pages are usually asked for next. */
  found: { search: Search; item: SortItem; entries: readonly Entry[] } | null;
  newestId: number;
}

/** A package with its first videos. Everything about it follows from `seed`, `spec` and the changes made. */
export function createPackageList(seed: number, spec: PackageSpec): PackageList {
  const live = firstEntries(seed, spec);
  const shelf = createRecordCache(seed, spec, live);
  const newestId = live.at(-1)?.id ?? FIRST_ID;
  const state: State = { live, gone: [], orders: new Map(), found: null, newestId };
  return {
    packageId: spec.id,
    size: () => live.length,
    mayShrink: () => live.length > Math.ceil(spec.videos / 2),
    goneCount: () => state.gone.length,
    page: (query) => readPage(state, query, shelf),
    upload: () => {
      state.newestId += nextIdGap(seed, spec, state.newestId);
      return place(state, newEntry(state.newestId));
    },
    edit: (rank) => edit(state, rank),
    remove: (rank) => remove(state, rank),
    restore: (which) => place(state, takeOut(state.gone, which)),
  };
}

function readPage(state: State, { search, sort, page, pageSize }: VideoQuery, shelf: RecordCache): VideoPage {
  const matching = search ? matches(state, search, sort.item, shelf) : ordered(state, sort.item, shelf);
  const records = cutPage(matching, sort.direction, page, pageSize).map(shelf);
  return { totalcount: matching.length, records };
}

function matches(state: State, search: Search, item: SortItem, shelf: RecordCache): readonly Entry[] {
  const { found } = state;
  if (found?.item === item && found.search.item === search.item && found.search.keyword === search.keyword) {
    return found.entries;
  }
  const entries = ordered(state, item, shelf).filter((entry) => contains(shelf(entry), search));
  state.found = { search, item, entries };
  return entries;
}

function ordered({ live, orders }: State, item: SortItem, shelf: RecordCache): readonly Entry[] {
  if (item === 'id') return live;
  const order = orders.get(item) ?? createSortedIndex(live, (entry) => shelf(entry)[item]);
  orders.set(item, order);
  return order.sorted();
}

function place(state: State, entry: Entry): number {
  state.live.splice(findRank(state.live, entry.id), 0, entry);
  return touch(state, entry);
}

function edit(state: State, rank: number): number {
  const entry = entryAt(state.live, rank);
  entry.revision++;
  entry.video = null;
  return touch(state, entry);
}

function remove(state: State, rank: number): number {
  const entry = takeOut(state.live, rank);
  state.gone.push(entry);
  return touch(state, entry);
}

/** Every change ends here. */
function touch(state: State, entry: Entry): number {
  for (const order of state.orders.values()) order.markChanged(entry);
  state.found = null;
  return entry.id;
}

function takeOut(entries: Entry[], index: number): Entry {
  const entry = entryAt(entries, index);
  entries.splice(index, 1);
  return entry;
}

function entryAt(entries: readonly Entry[], index: number): Entry {
  const entry = entries[index];
  if (!entry) throw new RangeError(`there is no video at ${index} of ${entries.length}`);
  return entry;
}

/** The videos that are in one package of the made-up account right now, and the four ways in which that changes. */
import type { Search, VideoPage, VideoQuery } from '../service/server/catalogue.ts';
import type { SortItem } from '../service/videos.ts';
import {
  contains,
  createRecordCache,
  FIRST_ID,
  createFirstEntries,
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
  canShrink(): boolean;
  /** Videos that went, and may come back. */
  countRemoved(): number;
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
  readonly removed: Entry[];
  /** The orders of `live` that were asked for. */
  readonly indexes: Map<SortItem, SortedIndex<Entry>>;
  /** What the last search found, as long as nothing changes: its other pages are usually asked for next. */
  lastSearch: { search: Search; item: SortItem; entries: readonly Entry[] } | null;
  newestId: number;
}

/** A package with its first videos. Everything about it follows from `seed`, `spec` and the changes made. */
export function createPackageList(seed: number, spec: PackageSpec): PackageList {
  const live = createFirstEntries(seed, spec);
  const getRecord = createRecordCache(seed, spec, live);
  const newestId = live.at(-1)?.id ?? FIRST_ID;
  const state: State = { live, removed: [], indexes: new Map(), lastSearch: null, newestId };
  return {
    packageId: spec.id,
    size: () => live.length,
    canShrink: () => live.length > Math.ceil(spec.videos / 2),
    countRemoved: () => state.removed.length,
    page: (query) => readPage(state, query, getRecord),
    upload: () => {
      state.newestId += nextIdGap(seed, spec, state.newestId);
      return insert(state, newEntry(state.newestId));
    },
    edit: (rank) => edit(state, rank),
    remove: (rank) => remove(state, rank),
    restore: (which) => insert(state, removeAt(state.removed, which)),
  };
}

function readPage(
  state: State,
  { search, sort, page, pageSize }: VideoQuery,
  getRecord: RecordCache,
): VideoPage {
  const matching = search
    ? findMatches(state, search, sort.item, getRecord)
    : getSorted(state, sort.item, getRecord);
  const records = cutPage(matching, sort.direction, page, pageSize).map(getRecord);
  return { totalcount: matching.length, records };
}

function findMatches(state: State, search: Search, item: SortItem, getRecord: RecordCache): readonly Entry[] {
  const { lastSearch } = state;
  if (
    lastSearch?.item === item &&
    lastSearch.search.item === search.item &&
    lastSearch.search.keyword === search.keyword
  ) {
    return lastSearch.entries;
  }
  const entries = getSorted(state, item, getRecord).filter((entry) => contains(getRecord(entry), search));
  state.lastSearch = { search, item, entries };
  return entries;
}

function getSorted({ live, indexes }: State, item: SortItem, getRecord: RecordCache): readonly Entry[] {
  if (item === 'id') return live;
  const index = indexes.get(item) ?? createSortedIndex(live, (entry) => getRecord(entry)[item]);
  indexes.set(item, index);
  return index.sorted();
}

function insert(state: State, entry: Entry): number {
  state.live.splice(findRank(state.live, entry.id), 0, entry);
  return markChanged(state, entry);
}

function edit(state: State, rank: number): number {
  const entry = getAt(state.live, rank);
  entry.revision++;
  entry.video = null;
  return markChanged(state, entry);
}

function remove(state: State, rank: number): number {
  const entry = removeAt(state.live, rank);
  state.removed.push(entry);
  return markChanged(state, entry);
}

/** Every change ends here. */
function markChanged(state: State, entry: Entry): number {
  for (const order of state.indexes.values()) order.markChanged(entry);
  state.lastSearch = null;
  return entry.id;
}

function removeAt(entries: Entry[], index: number): Entry {
  const entry = getAt(entries, index);
  entries.splice(index, 1);
  return entry;
}

function getAt(entries: readonly Entry[], index: number): Entry {
  const entry = entries[index];
  if (!entry) throw new RangeError(`there is no video at ${index} of ${entries.length}`);
  return entry;
}

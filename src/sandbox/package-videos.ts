/** The videos of one package of the simulated account, and the four ways in which they change. */
import type { Search, VideoPage, VideoQuery, VideoRecord } from '../service/server/catalogue.ts';
import { hash, STREAM } from './random.ts';
import { makeVideo, type PackageSeed } from './sample-video.ts';
import type { CountFile } from './sample-storage.ts';
import { cutPage, sortBy } from './sorted-list.ts';

/** A package and its initial number of videos; a package that starts empty stays empty. */
export interface PackageSpec {
  id: number;
  videos: number;
  /** A package of which this one lists some of the first videos too. */
  shares?: PackageSpec;
}

/** `video` is the cached record of this revision. */
interface Entry {
  readonly id: number;
  /** The package for which it was made. */
  readonly packageId: number;
  /**
   * When it was uploaded, as in `cdate`; null for one of the first videos, whose time follows from its id.
   */
  readonly cdate: string | null;
  /** The day on which its file was last deleted, after which it may have been restored; '' for none. */
  deletedOn: string;
  revision: number;
  video: VideoRecord | null;
}

/** The live ones are ascending by id. */
interface Entries {
  readonly live: Entry[];
  readonly removed: Entry[];
}

type RecordCache = (entry: Entry) => VideoRecord;

export type PackageVideos = ReturnType<typeof createPackageVideos>;

/** What a package knows of its account. */
export interface Account {
  seed: number;
  /** When the newest of the first videos was uploaded, in milliseconds since 1970. */
  newestMs: number;
  /** The time as in `cdate`. */
  now(): string;
  countFile: CountFile;
}

/**
 * A package with its first videos. Everything about it follows from the account, `spec` and the changes made.
 */
export function createPackageVideos(account: Account, spec: PackageSpec) {
  const live = createFirstEntries(account.seed, spec);
  const getRecord = createRecordCache(account.seed, spec, live, account.newestMs);
  const entries: Entries = { live, removed: [] };
  return {
    packageId: spec.id,
    size: () => live.length,
    /** True if a video may be removed: half of the initial number stays. */
    canShrink: () => live.length > Math.ceil(spec.videos / 2),
    /** The number of removed videos, which may be restored. */
    countRemoved: () => entries.removed.length,
    page: (query: VideoQuery) => readPage(live, query, getRecord),
    ...createChanges(account, spec, entries, getRecord),
  };
}

/** The ways in which the videos change; `upload`, `edit`, `remove` and `restore` return the id. */
function createChanges(account: Account, spec: PackageSpec, entries: Entries, getRecord: RecordCache) {
  const { live, removed } = entries;
  let newestId = live.at(-1)?.id ?? FIRST_ID;
  const count = (entry: Entry, day: string, sign: 1 | -1): void =>
    account.countFile(day.slice(0, 10), getRecord(entry).filesize, sign);
  const remove = (rank: number, day = account.now()): number => {
    const entry = removeAt(live, rank);
    entry.deletedOn = day;
    removed.push(entry);
    count(entry, day, -1);
    return entry.id;
  };
  return {
    /** Adds a video with an id above all earlier ones. */
    upload: () => {
      newestId += nextIdGap(account.seed, spec, newestId);
      const entry = newEntry(newestId, spec.id, account.now());
      count(entry, getRecord(entry).cdate ?? '', 1);
      live.push(entry);
      return entry.id;
    },
    /** Changes the video at `rank`, from 0 in order of ids. */
    edit: (rank: number) => edit(getAt(live, rank)),
    remove,
    /**
     * Removes this number of videos, evenly spread over the list; the first video stays. Their files are
     * deleted on `day`, by default today. Throws RangeError if there are fewer.
     */
    removeMany: (videos: number, day?: string): void => {
      const step = live.length / videos;
      for (let left = videos; left > 0; left--) remove(Math.ceil(left * step) - 1, day);
    },
    /** Restores the removed video at `index`, unchanged, with its old id. */
    restore: (index: number) => {
      const entry = removeAt(removed, index);
      const now = account.now();
      count(entry, entry.deletedOn > now ? entry.deletedOn : now, 1);
      live.splice(live.findLastIndex(({ id }) => id < entry.id) + 1, 0, entry);
      return entry.id;
    },
    /** Counts the files of the first videos, from their days on. To be called once. */
    countFirst: (): void => {
      const first = [...live, ...removed].filter(({ cdate }) => cdate === null);
      for (const entry of first) count(entry, getRecord(entry).cdate ?? '', 1);
    },
  };
}

function readPage(
  live: readonly Entry[],
  { search, sort, page, pageSize }: VideoQuery,
  getRecord: RecordCache,
): VideoPage {
  const { item } = sort;
  const sorted = item === 'id' ? live : sortBy(live, (entry) => getRecord(entry)[item]);
  const matching = search ? sorted.filter((entry) => contains(getRecord(entry), search)) : sorted;
  const records = cutPage(matching, sort.direction, page, pageSize).map(getRecord);
  return { totalcount: matching.length, records };
}

function edit(entry: Entry): number {
  entry.revision++;
  entry.video = null;
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

/** The first id of every package: readers must not confuse equal ids of two packages. */
const FIRST_ID = 1_000_000;

/** Larger packages cache no records, so that memory does not grow with the package. */
const MAX_CACHED_RECORDS = 20_000;

function newEntry(id: number, packageId: number, cdate: string | null): Entry {
  return { id, packageId, cdate, deletedOn: '', revision: 0, video: null };
}

/** The distance from `id` to the next id; small packages have wide gaps, so that all span similar ids. */
function nextIdGap(seed: number, { id: packageId, videos }: PackageSpec, id: number): number {
  const mean = Math.min(200, Math.max(2, Math.round(40_000 / Math.max(1, videos))));
  return 1 + (hash(seed, STREAM.ids, packageId, id) % (2 * mean - 1));
}

/** Of the first videos, one in a hundred is shared. */
const SHARED_EVERY = 100;

/** The videos that a package starts with, ascending by id. */
function createFirstEntries(seed: number, spec: PackageSpec): Entry[] {
  let id = FIRST_ID;
  const own = Array.from({ length: spec.videos }, () =>
    newEntry((id += nextIdGap(seed, spec, id)), spec.id, null),
  );
  if (!spec.shares) return own;
  const ids = new Set(own.map((entry) => entry.id));
  const shared = createFirstEntries(seed, spec.shares).filter(
    (entry, rank) => rank % SHARED_EVERY === 0 && !ids.has(entry.id),
  );
  return [...own, ...shared].sort((one, other) => one.id - other.id);
}

/** `first` are the initial entries of the package, the last of them uploaded at `newestMs`. */
function createRecordCache(
  seed: number,
  spec: PackageSpec,
  first: readonly Entry[],
  newestMs: number,
): RecordCache {
  const span: Omit<PackageSeed, 'packageId'> = {
    seed,
    firstId: first[0]?.id ?? FIRST_ID,
    lastId: first.at(-1)?.id ?? FIRST_ID,
    newestMs,
  };
  return (entry) => {
    const video = entry.video ?? makeVideo({ ...span, packageId: entry.packageId }, entry);
    if (spec.videos <= MAX_CACHED_RECORDS) entry.video = video;
    return video;
  };
}

/** True if the field contains the keyword exactly, case included; null contains none. */
function contains(video: VideoRecord, { item, keyword }: Search): boolean {
  return video[item]?.includes(keyword) ?? false;
}

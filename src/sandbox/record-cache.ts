/** The videos of a sandbox package: id and revision of each, and its record while the package is small. */
import type { Search, VideoRecord } from '../service/server/catalogue.ts';
import { hash, STREAM } from './random.ts';
import { makeVideo, type PackageSeed } from './sample-video.ts';

/** A package and its initial number of videos; a package that starts empty stays empty. */
export interface PackageSpec {
  id: number;
  videos: number;
}

/** `video` is the cached record of this revision. */
export interface Entry {
  readonly id: number;
  /** When it was uploaded, as in `cdate`; null for one of the first videos, whose time follows from its id. */
  readonly cdate: string | null;
  /** The day on which its file was last deleted, after which it may have been restored; '' for none. */
  deletedOn: string;
  revision: number;
  video: VideoRecord | null;
}

export type RecordCache = (entry: Entry) => VideoRecord;

/** The first id of every package: readers must not confuse equal ids of two packages. */
export const FIRST_ID = 1_000_000;

/** Larger packages cache no records, so that memory does not grow with the package. */
const MAX_CACHED_RECORDS = 20_000;

export function newEntry(id: number, cdate: string | null): Entry {
  return { id, cdate, deletedOn: '', revision: 0, video: null };
}

/** The distance from `id` to the next id; small packages have wide gaps, so that all span similar ids. */
export function nextIdGap(seed: number, { id: packageId, videos }: PackageSpec, id: number): number {
  const mean = Math.min(200, Math.max(2, Math.round(40_000 / Math.max(1, videos))));
  return 1 + (hash(seed, STREAM.ids, packageId, id) % (2 * mean - 1));
}

/** The videos that a package starts with, ascending by id. */
export function createFirstEntries(seed: number, spec: PackageSpec): Entry[] {
  let id = FIRST_ID;
  return Array.from({ length: spec.videos }, () => newEntry((id += nextIdGap(seed, spec, id)), null));
}

/** `first` are the initial entries of the package, the last of them uploaded at `newestMs`. */
export function createRecordCache(
  seed: number,
  spec: PackageSpec,
  first: readonly Entry[],
  newestMs: number,
): RecordCache {
  const packageSeed: PackageSeed = {
    seed,
    packageId: spec.id,
    firstId: first[0]?.id ?? FIRST_ID,
    lastId: first.at(-1)?.id ?? FIRST_ID,
    newestMs,
  };
  return (entry) => {
    const video = entry.video ?? makeVideo(packageSeed, entry);
    if (spec.videos <= MAX_CACHED_RECORDS) entry.video = video;
    return video;
  };
}

/** True if the field contains the keyword exactly, case included; null contains none. */
export function contains(video: VideoRecord, { item, keyword }: Search): boolean {
  return video[item]?.includes(keyword) ?? false;
}

/** What a package of the made-up account keeps of a video: its id and revision, and its record where that pays. */
import type { Search, VideoRecord } from '../service/server/catalogue.ts';
import { hash, STREAM } from './random.ts';
import { makeVideo, type PackageSeed } from './sample-video.ts';

/** A package and how many videos it starts with; one that starts with none stays empty. */
export interface PackageSpec {
  id: number;
  videos: number;
}

/** `video` is the record of this revision, once it was looked at and where records are kept. */
export interface Entry {
  readonly id: number;
  revision: number;
  video: VideoRecord | null;
}

/** Gives the record of an entry. */
export type RecordCache = (entry: Entry) => VideoRecord;

/** Ids start here in every package: the same id in two packages is two videos, and a reader must not mix them up. */
export const FIRST_ID = 1_000_000;

/** Above this many videos records are made anew at each look, so that memory does not grow with the package. */
const KEPT_RECORDS = 20_000;

/** An entry that was never edited. */
export function newEntry(id: number): Entry {
  return { id, revision: 0, video: null };
}

/** How far after `id` the next one is; small packages have wide gaps, so that all span about the same ids. */
export function nextIdGap(seed: number, { id: packageId, videos }: PackageSpec, id: number): number {
  const mean = Math.min(200, Math.max(2, Math.round(40_000 / Math.max(1, videos))));
  return 1 + (hash(seed, STREAM.ids, packageId, id) % (2 * mean - 1));
}

/** The videos that a package starts with, ascending by id. */
export function firstEntries(seed: number, spec: PackageSpec): Entry[] {
  let id = FIRST_ID;
  return Array.from({ length: spec.videos }, () => newEntry((id += nextIdGap(seed, spec, id))));
}

/** Gives records, kept or made; `first` are the videos that the package starts with. */
export function createRecordCache(seed: number, spec: PackageSpec, first: readonly Entry[]): RecordCache {
  const outline: PackageSeed = {
    seed,
    packageId: spec.id,
    firstId: first[0]?.id ?? FIRST_ID,
    lastId: first.at(-1)?.id ?? FIRST_ID,
  };
  return (entry) => {
    const video = entry.video ?? makeVideo(outline, entry.id, entry.revision);
    if (spec.videos <= KEPT_RECORDS) entry.video = video;
    return video;
  };
}

/** True where the field holds the keyword exactly, case and all; null holds none. */
export function contains(video: VideoRecord, { item, keyword }: Search): boolean {
  return video[item]?.includes(keyword) ?? false;
}

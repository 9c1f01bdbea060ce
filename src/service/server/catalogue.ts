/**
 * What the server answers from. It is about data and knows nothing of HTTP or JSON, so that a made-up account
 * and a warehouse can stand behind the same server.
 */
import type { StorageDay } from '../storage.ts';
import type { SearchItem, SortDirection, SortItem, Video } from '../videos.ts';
import type { ApiError } from './api-errors.ts';

/** A video as it is sent: the fields of docs/service.md 2.1, and any further ones beside them. */
export type VideoRecord = Omit<Video, 'extra'>;

/** Restricts a list to the videos whose field contains the keyword exactly, case and all (docs/service.md 4.1). */
export interface Search {
  item: SearchItem;
  /** Never empty. */
  keyword: string;
}

/** One page of one package (docs/service.md 4.1). */
export interface VideoQuery {
  packageId: number;
  search?: Search;
  /** Null before everything, titles by Unicode code point; equal values by id; `desc` is `asc` read from its end. */
  sort: { item: SortItem; direction: SortDirection };
  /** From 1 up. */
  page: number;
  /** Videos a page, from 1 up, already clamped. */
  pageSize: number;
}

/** When the service itself was last asked, in milliseconds since 1970; left out where it is asked right now. */
interface Aged {
  readAt?: number;
}

/**
 * The records of one page; none where the page is beyond the end. `totalcount` counts all that match. `records` may be the
 * bytes of a JSON array as well, where a catalogue has them at hand.
 */
export interface VideoPage extends Aged {
  totalcount: number;
  records: readonly VideoRecord[] | Uint8Array<ArrayBuffer>;
}

/** The days `from` to `to`, both included, `yyyy-mm-dd` (docs/service.md 4.2). None where `from` is later. */
export interface StorageRange {
  from: string;
  to: string;
  direction: SortDirection;
}

/** The records of a range, at most one a day, in the direction asked for; a day that is not known is left out. */
export interface StorageDays extends Aged {
  days: readonly StorageDay[];
}

/**
 * Two methods, either of which may answer at once or later. A BusyError becomes HTTP 503, another exception a plain 500. The
 * signal aborts when nobody waits for the answer any more.
 */
export interface Catalogue {
  videos(query: VideoQuery, signal: AbortSignal): VideoPage | ApiError | Promise<VideoPage | ApiError>;
  storage(range: StorageRange): StorageDays | ApiError | Promise<StorageDays | ApiError>;
}

/** The answer where there is no such package. */
export function packageNotFound(packageId: number): ApiError {
  return { refused: 'PackageNotFound', message: `there is no package ${packageId}` };
}

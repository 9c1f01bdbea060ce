/**
 * The source of the server's data. It knows nothing of HTTP or JSON: the same server serves the sandbox and
 * the warehouse.
 */
import type { StorageDay } from '../storage.ts';
import type { SearchItem, SortDirection, SortItem, Video } from '../videos.ts';

/** A video as it is sent: the fields of docs/service.md 2.1, and any others. */
export type VideoRecord = Omit<Video, 'extra'>;

/**
 * Restricts a list to the videos whose field contains the keyword exactly, including case (docs/service.md
 * 4.1).
 */
export interface Search {
  item: SearchItem;
  /** Never empty. */
  keyword: string;
}

/** One page of one package (docs/service.md 4.1). */
export interface VideoQuery {
  packageId: number;
  search?: Search;
  /**
   * Null before everything, titles by Unicode code point; equal values by id; `desc` is `asc` read from its
   * end.
   */
  sort: { item: SortItem; direction: SortDirection };
  /** From 1 up. */
  page: number;
  /** Videos a page, from 1 up, already clamped. */
  pageSize: number;
}

interface Aged {
  /**
   * When the data was read from the service, in ms since 1970; absent if the source is the service itself.
   */
  readAt?: number;
}

/**
 * The records of one page; none if the page is beyond the end. `totalcount` counts all that match. `records`
 * may also be the bytes of a JSON array.
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

/** The records of a range, at most one a day, in the requested direction; unknown days are left out. */
export interface StorageDays extends Aged {
  days: readonly StorageDay[];
}

/**
 * A BusyError becomes HTTP 503, any other exception a plain 500. The signal aborts when the client has
 * disconnected.
 */
export interface Catalogue {
  videos(query: VideoQuery, signal: AbortSignal): VideoPage | ApiError | Promise<VideoPage | ApiError>;
  storage(range: StorageRange): StorageDays | ApiError | Promise<StorageDays | ApiError>;
}

export function packageNotFound(packageId: number): ApiError {
  return { errorCode: 'PackageNotFound', message: `there is no package ${packageId}` };
}

/** Our values of `errorCode` (docs/service.md 7 documents none), in the order in which they are checked. */
export const API_ERRORS = {
  InvalidKey: 'the key is missing or unknown',
  InvalidParameter: 'a parameter is missing or cannot be read',
  PackageNotFound: 'there is no such package',
  PackageNotReady: 'the package has not been read completely yet',
  PackageAmbiguous: 'more than one account has a package of this number',
} as const;

export type ApiErrorCode = keyof typeof API_ERRORS;

/** Why a request is rejected; the message names the requested thing. */
export interface ApiError {
  errorCode: ApiErrorCode;
  message: string;
}

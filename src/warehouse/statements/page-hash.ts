/** Pages that need not be read again while their bytes, and the rows they describe, do not change. */
import { query } from '../../database/query.ts';
import { pageHash } from '../../database/schema/videos.ts';
import { upsert } from '../../database/upsert.ts';
import type { IdRange, PackageKey } from '../../sync/package-key.ts';
import { OF_PACKAGE } from './video.ts';

/**
 * What is known of a page whose records need not be read: their number, the lowest and the highest id, the
 * range in which it shows every live id if its place in the list is the same, and the drift in its records
 * as JSON.
 */
export type PageHash = typeof pageHash.$inferSelect;

/** Which page of which package, at which page size. */
export interface PagePlace extends PackageKey {
  page: number;
  pageSize: number;
}

const AT_PLACE = `${OF_PACKAGE} and page = :page and page_size = :pageSize`;

/**
 * What is known of the page at this place. It is forgotten when one of the rows that it describes changes.
 */
export const findPage = query<PageHash, PagePlace>(`select * from page_hash where ${AT_PLACE}`).get;

export const upsertPageHash = upsert(pageHash);

export const deletePageHash = query<never, PagePlace>(`delete from page_hash where ${AT_PLACE}`).run;

/** Deletes the pages behind the last one, and those of other page sizes. */
export const deleteOtherPages = query<never, PackageKey & { lastPage: number; pageSize: number }>(
  `delete from page_hash where ${OF_PACKAGE} and (page > :lastPage or page_size <> :pageSize)`,
).run;

/** Deletes the pages that would show an id of the range: the rows are no longer those that they describe. */
export const deletePagesAbout = query<never, PackageKey & IdRange>(
  `delete from page_hash where ${OF_PACKAGE} and proof_low <= :high and proof_high >= :low`,
).run;

/** Pages that need not be read again while their bytes, and the rows they describe, do not change. */
import { query } from '../../database/query.ts';
import type { pageHash } from '../../database/schema/videos.ts';
import type { IdRange, PackageKey } from '../../sync/package-key.ts';

export type PageHash = typeof pageHash.$inferSelect;

/** Which page of which package, at which page size. */
export interface PagePlace extends PackageKey {
  page: number;
  pageSize: number;
}

const OF_PACKAGE = 'account = :account and package_id = :packageId';
const AT_PLACE = `${OF_PACKAGE} and page = :page and page_size = :pageSize`;
const VALUES = ['hash', 'records', 'first_id', 'last_id', 'proof_low', 'proof_high', 'drift'];

/** What is known of the page at this place. */
export const findPage = query<PageHash, PagePlace>(`select * from page_hash where ${AT_PLACE}`).get;

export const upsertPageHash = query<never, PageHash>(
  `insert into page_hash (account, package_id, page, page_size, ${VALUES.join(', ')})
    values (:account, :package_id, :page, :page_size, ${VALUES.map((name) => `:${name}`).join(', ')})
    on conflict (account, package_id, page, page_size) do update set
      ${VALUES.map((name) => `${name} = excluded.${name}`).join(', ')}`,
).run;

export const deletePageHash = query<never, PagePlace>(`delete from page_hash where ${AT_PLACE}`).run;

/** Deletes the pages behind the last one, and those of other page sizes. */
export const deleteOtherPages = query<never, PackageKey & { lastPage: number; pageSize: number }>(
  `delete from page_hash where ${OF_PACKAGE} and (page > :lastPage or page_size <> :pageSize)`,
).run;

/** Deletes the pages that would show an id of the range: the rows are no longer those that they describe. */
export const deletePagesAbout = query<never, PackageKey & IdRange>(
  `delete from page_hash where ${OF_PACKAGE} and proof_low <= :high and proof_high >= :low`,
).run;

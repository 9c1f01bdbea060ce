/** Pages that need not be read again while their bytes, and the rows they describe, stay as they are. */
import type { Tx } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import type { pageHash } from '../../database/schema/videos.ts';
import type { IdRange } from '../../lib/id-range.ts';
import type { PackageKey } from '../../lib/package-key.ts';

export type PageHash = typeof pageHash.$inferSelect;

/** Which page of which package, at which page size. */
export interface PagePlace extends PackageKey {
  page: number;
  pageSize: number;
}

/** A page of a package, and the hash of its records. */
export interface HashedPage extends PackageKey {
  page: number;
  hash: string;
}

const OF_PACKAGE = 'account = :account and package_id = :packageId';
const AT_PLACE = `${OF_PACKAGE} and page = :page and page_size = :pageSize`;
const VALUES = ['hash', 'records', 'first_id', 'last_id', 'proof_low', 'proof_high', 'change_seq', 'drift'];

const FIND = query<PageHash, HashedPage>(
  `select * from page_hash where ${OF_PACKAGE} and page = :page and hash = :hash`,
);
const UPSERT = query<never, PageHash>(
  `insert into page_hash (account, package_id, page, page_size, ${VALUES.join(', ')})
    values (:account, :package_id, :page, :page_size, ${VALUES.map((name) => `:${name}`).join(', ')})
    on conflict (account, package_id, page, page_size) do update set
      ${VALUES.map((name) => `${name} = excluded.${name}`).join(', ')}`,
);
const DELETE = query<never, PagePlace>(`delete from page_hash where ${AT_PLACE}`);
const CONFIRM = query<never, PagePlace & { changeSeq: number }>(
  `update page_hash set change_seq = :changeSeq where ${AT_PLACE}`,
);
const DELETE_OTHERS = query<never, PackageKey & { lastPage: number; pageSize: number }>(
  `delete from page_hash where ${OF_PACKAGE} and (page > :lastPage or page_size <> :pageSize)`,
);
const PACKAGE_CHANGED = query<object, PackageKey & { changeSeq: number }>(
  `select 1 from package where ${OF_PACKAGE} and changed_seq > :changeSeq`,
);
const ROW_CHANGED = query<object, PackageKey & IdRange & { changeSeq: number }>(
  `select 1 from video where ${OF_PACKAGE} and id between :low and :high and change_seq > :changeSeq limit 1`,
);

/** What is known of a page of this number whose records have this hash. */
export const findByHash = (tx: Tx, page: HashedPage): PageHash | undefined => FIND.get(tx, page);

export const upsertPageHash = (tx: Tx, row: PageHash): number => UPSERT.run(tx, row);

export const deletePageHash = (tx: Tx, place: PagePlace): number => DELETE.run(tx, place);

/** Records that page and rows are still equal at this `change_seq`. */
export const confirmPageHash = (tx: Tx, place: PagePlace, changeSeq: number): number =>
  CONFIRM.run(tx, { ...place, changeSeq });

/** Deletes the pages behind the last one, and those of other page sizes. */
export const deleteOtherPages = (tx: Tx, key: PackageKey, lastPage: number, pageSize: number): number =>
  DELETE_OTHERS.run(tx, { ...key, lastPage, pageSize });

/** Whether a row with an id from `low` to `high` changed after `changeSeq`. */
export function hasChangedSince(tx: Tx, key: PackageKey, range: IdRange, changeSeq: number): boolean {
  const since = { ...key, ...range, changeSeq };
  return PACKAGE_CHANGED.get(tx, since) !== undefined && ROW_CHANGED.get(tx, since) !== undefined;
}

/** How a page is read, however its ids were found. */
import { fromTimestamp } from '../../lib/clock.ts';
import type { Db } from '../../database/connection.ts';
import { prepareRecords, prepareWalkedPackage, type WalkedPackage } from './statements.ts';
import type { ListQuery } from './list-query.ts';
import type { PackageKey } from '../../lib/package-key.ts';

/** A page of a package that was walked whole before, from one look. */
export interface ListPage {
  /** Rows of the whole list. */
  size: number;
  /** The bytes of a JSON array: the records as the service sent them. */
  records: Uint8Array<ArrayBuffer>;
  /** End of the last full walk, in milliseconds since 1970. */
  walkedAt: number;
}

/** The ids of a page in the ascending list, and the rows of that in all. */
export interface Found {
  size: number;
  ids: number[];
}

/** Prepares a page whose ids `find` knows; null where the package was never walked whole. To be called in one look. */
export function preparePage(db: Db) {
  const walkedPackage = prepareWalkedPackage(db);
  const records = prepareRecords(db);
  return (key: PackageKey, { sort }: ListQuery, find: (known: WalkedPackage) => Found): ListPage | null => {
    const known = walkedPackage(key);
    if (!known) return null;
    const { size, ids } = find(known);
    if (sort.direction === 'desc') ids.reverse();
    return { size, records: records(key, ids), walkedAt: fromTimestamp(known.walked_at) };
  };
}

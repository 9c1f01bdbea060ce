/**
 * The published file as the source of loads, a snapshot that never changes, and the rows that a target gets.
 */
import { Database } from '../../database/sqlite.ts';
import { WarehouseError, type Hint } from '../../lib/errors.ts';
import type { Table } from '../marts/mart.ts';
import { createMarts, hashFacts } from '../marts/marts.ts';
import { isPublicationOf } from './ownership.ts';

export type Source = ReturnType<typeof openSource>;

/** An account in `about.accounts`. */
interface PublishedAccount {
  account: string;
  /** The last change of one of its videos. */
  change_seq: number;
  /** How often `vodhouse forget` deleted rows of it: no `change_seq` shows that. */
  forgotten: number;
}

const PUBLISH: Hint = [{ command: 'publish' }, ' makes a new one'];

/**
 * Opens the published file. `live`: the live file behind it, which knows who owns an account; left out where
 * nothing is loaded. Throws WarehouseError if there is no published file, or one of another version of
 * vodhouse. The caller closes it.
 */
export function openSource(file: string, live: string | null = null) {
  const db = openFile(file);
  try {
    const select = db.prepare('select key, value from about union all select key, value from internals');
    const facts = new Map(select.raw().all() as [string, string | null][]);
    const getFact = (key: string): string => {
      const value = facts.get(key);
      if (value == null) throw new WarehouseError(`${file} does not say its ${key}`, { hint: PUBLISH });
      return value;
    };
    const durationUnit = getFact('duration_unit') as 'ms' | 's';
    const exclude = (facts.get('excluded') ?? '').split(', ').filter(Boolean);
    const tagSeparators = JSON.parse(getFact('tag_separators')) as string[];
    const marts = createMarts({ durationUnit, exclude, tagSeparators });
    if (getFact('shape') !== marts.shape)
      throw new WarehouseError(`${file} was made by another version of vodhouse`, { hint: PUBLISH });
    const timezone = getFact('timezone');
    const accounts = JSON.parse(getFact('accounts')) as PublishedAccount[];
    const byName = new Map(accounts.map((each) => [each.account, each]));
    const publicationId = getFact('publication_id');
    return {
      db,
      marts,
      timezone,
      version: getFact('version'),
      warehouseId: getFact('warehouse_id'),
      publicationId,
      /** Was this publication made by the warehouse, and not after this file? */
      hasPublication: (id: string) =>
        id === publicationId || (live !== null && isPublicationOf(live, id, publicationId)),
      /** UTC, `YYYY-MM-DD HH:MM:SS`. */
      publishedAt: getFact('published_at'),
      /** The last change of a video in the file. */
      changeSeq: Number(getFact('change_seq')),
      /** The names of the accounts that the file has rows of, also of those that left the config. */
      accounts: accounts.map(({ account }) => account),
      /** The last change of a video of the account. */
      changeSeqOf: (account: string) => byName.get(account)?.change_seq ?? 0,
      /** It differs where rows were changed or deleted in a way that no `change_seq` shows. */
      shapeOf: (account: string) =>
        hashFacts([marts.shape, timezone, byName.get(account)?.forgotten ?? 0, listPackages(db, account)]),
      close: () => void db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The names of the packages of an account, which are repeated in every row of a package. */
const listPackages = (db: Database, account: string): unknown[] =>
  db
    .prepare('select package_key, package_name from packages where account = ? order by 1')
    .raw()
    .all(account);

function openFile(file: string): Database {
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true });
    db.pragma('temp_store = memory');
    return db;
  } catch (cause) {
    throw new WarehouseError(`the published file ${file} cannot be opened`, { hint: PUBLISH, cause });
  }
}

/** A condition over the alias `t`, and its parameters. */
export interface Rows {
  where: string;
  parameters: Readonly<Record<string, unknown>>;
}

/** The columns that show to which account a row belongs; one of them is in the key of each table. */
const BY_OWNER = ['account', 'package_key', 'video_key', 'version_key'];

/**
 * The rows of an account. A key that is not the account itself begins with `account/`, so an account is a
 * range of keys; it ends at `account0`, because `0` follows `/`.
 */
export function ofAccount({ key }: Table, account: string): Rows {
  const column = key.find((name) => BY_OWNER.includes(name)) ?? '';
  if (column === 'account') return { where: 't.account = :account', parameters: { account } };
  const where = `t.${column} >= :account || '/' and t.${column} < :account || '0'`;
  return { where, parameters: { account } };
}

/**
 * Finds the videos of an account with a state after a `change_seq`. Their rowids, and those of the states
 * that were superseded since, are then in the temporary tables `changed_videos` and `changed_history` of the
 * connection (column `row`). Returns the number of videos.
 */
export function storeChanges(source: Source, account: string, changeSeq: number): number {
  const { db, marts } = source;
  // without a newer change, no video needs to be read
  const isNewer = source.changeSeqOf(account) > changeSeq;
  const { where, parameters } = isNewer
    ? ofAccount(marts.allVideos, account)
    : { where: 'false', parameters: {} };
  const select = `select t.rowid from all_videos t
where ${where} and t.change_seq > :changeSeq order by t.rowid`;
  const count = storeRowids(db, 'changed_videos', select, { ...parameters, changeSeq });
  storeRowids(db, 'changed_history', CHANGED_HISTORY, { changeSeq });
  return count;
}

/** Makes a temporary table of the rowids that a query returns (column `row`). Returns their number. */
function storeRowids(db: Database, name: string, select: string, parameters: object): number {
  db.exec(`drop table if exists temp.${name}; create temp table ${name} (row integer primary key)`);
  return db.prepare(`insert into temp.${name} ${select}`).run(parameters).changes;
}

/**
 * The states that were superseded after a `change_seq`: those that began after it, and the last one before
 * it, which is still the present state in the target.
 */
const CHANGED_HISTORY = `select h.rowid from temp.changed_videos c
cross join all_videos v on v.rowid = c.row
cross join video_history h on h.video_key = v.video_key and h.change_seq >= ifnull((
  select max(b.change_seq) from video_history b where b.video_key = v.video_key and b.change_seq <= :changeSeq
), 0)
order by h.rowid`;

/**
 * The first day of `package_daily` that the changes since then may touch; `publishedAt` (UTC) is when the
 * file was made that the target has. After `storeChanges`.
 */
export function findFirstDay({ db }: Source, changeSeq: number, publishedAt: string): string {
  // two days earlier: days are those of the service's calendar, and a clock that was set back dates changes
  // back
  return db
    .prepare(
      `select date(min(at), '-2 days') from (
  select :publishedAt as at
  union all select v.changed_at from temp.changed_videos c cross join all_videos v on v.rowid = c.row
  union all select h.changed_at from temp.changed_history c cross join video_history h on h.rowid = c.row
    where h.change_seq > :changeSeq
)`,
    )
    .pluck()
    .get({ changeSeq, publishedAt }) as string;
}

/** The published file as the source of loads: a snapshot that never changes, also while a newer one replaces it. */
import { createHash } from 'node:crypto';
import { Database } from '../../database/sqlite.ts';
import { WarehouseError } from '../../lib/errors.ts';
import { createMarts } from '../marts/marts.ts';

export type Source = ReturnType<typeof openSource>;

/** What `about.accounts` tells of an account. */
interface PublishedAccount {
  account: string;
  /** The last change of one of its videos. */
  change_seq: number;
  /** How often rows of it were forgotten: no `change_seq` tells of that. */
  forgotten: number;
}

const PUBLISH = 'vodhouse publish makes a new one';

/**
 * Opens the published file. Throws WarehouseError if there is none, or one of another version of vodhouse. The caller closes
 * it.
 */
export function openSource(file: string) {
  const db = openFile(file);
  try {
    const facts = new Map(
      db.prepare('select key, value from about').raw().all() as [string, string | null][],
    );
    const getFact = (key: string): string => {
      const value = facts.get(key);
      if (value == null) throw new WarehouseError(`${file} does not say its ${key}`, { hint: PUBLISH });
      return value;
    };
    const durationUnit = getFact('duration_unit') as 'ms' | 's';
    const exclude = (facts.get('excluded') ?? '').split(', ').filter(Boolean);
    const marts = createMarts({ durationUnit, exclude });
    if (getFact('shape') !== marts.shape)
      throw new WarehouseError(`${file} was made by another version of vodhouse`, { hint: PUBLISH });
    const timezone = getFact('timezone');
    const accounts = JSON.parse(getFact('accounts')) as PublishedAccount[];
    const publications = JSON.parse(getFact('publications')) as string[];
    return {
      file,
      db,
      marts,
      timezone,
      version: getFact('version'),
      warehouseId: getFact('warehouse_id'),
      /** The ids of the last publications, the newest first: this file is `publications[0]`. */
      publications,
      publicationId: publications[0] ?? '',
      /** UTC, `YYYY-MM-DD HH:MM:SS`. */
      publishedAt: getFact('published_at'),
      /** The last change of a video in the file. */
      changeSeq: Number(getFact('change_seq')),
      /** The names of the accounts that the file has rows of, also of those that left the config. */
      accounts: accounts.map(({ account }) => account),
      /** The last change of a video of the account. */
      changeSeqOf: (account: string) => find(accounts, account)?.change_seq ?? 0,
      /** Another one: rows have other values or columns, or some are gone, though no `change_seq` tells of it. */
      shapeOf: (account: string) =>
        hash([marts.shape, timezone, find(accounts, account)?.forgotten ?? 0, listPackages(db, account)]),
      close: () => void db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Every row of a package has its name; one that was retired and came back has days that were not there. */
const listPackages = (db: Database, account: string): unknown[] =>
  db
    .prepare('select package_key, package_name, retired_at from packages where account = ? order by 1')
    .raw()
    .all(account);

const find = (accounts: readonly PublishedAccount[], name: string) =>
  accounts.find(({ account }) => account === name);

function openFile(file: string): Database {
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true });
    db.pragma('temp_store = memory');
    return db;
  } catch (cause) {
    throw new WarehouseError(`the published file ${file} cannot be opened`, { hint: PUBLISH, cause });
  }
}

const hash = (facts: unknown[]): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);

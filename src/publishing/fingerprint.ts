/** Decides whether a publication now would differ from the last one. */
import type { Database } from '../database/sqlite.ts';
import { createMarts, hashFacts } from './marts/marts.ts';
import type { PublishRequest } from './publish-request.ts';

/**
 * Hash of everything that affects the published file: rows, day, and options. Times at which nothing new was
 * seen are not part of it, so a run that changed nothing publishes nothing. `live` is the live file, or a
 * connection that has it attached: no published table has the name of a live one.
 */
export function createFingerprint(live: Database, request: PublishRequest): string {
  const { version, timezone, today, storageAccounts } = request;
  const marts = createMarts(request);
  const watched = marts.tables.flatMap((table) => table.watched ?? []);
  const parameters = createParameters(request);
  const rows = [...QUERIES, ...watched].map((query) => live.prepare(query).raw().all(parameters));
  const options = [marts.shape, version, timezone, storageAccounts, today];
  return hashFacts([options, rows]);
}

/** The parameters of the queries of marts, as `fillTable` describes them. */
export const createParameters = ({ today, storageAccounts }: PublishRequest) => ({
  today,
  followed: JSON.stringify(storageAccounts),
});

/** Each reads few rows. `restored_at` is read because a restored file uses numbers of changes again. */
const QUERIES = [
  'select change_seq, created_at, restored_at from warehouse_state',
  `select account, package_id, name, totalcount, "order", first_walked_at, retired_at
   from package order by account, package_id`,
  // those over which a walk has ended today
  `select account, package_id from package p where exists (
     select 1 from package_day w where w.account = p.account and w.package_id = p.package_id and w.date = :today)`,
];

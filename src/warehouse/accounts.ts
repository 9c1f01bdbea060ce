/** Renaming and forgetting: what a person does to all rows of an account or a package at once. */
import type { Tx } from '../database/connection.ts';
import { query, type SqlValue } from '../database/query.ts';
import { toTimestamp } from '../lib/clock.ts';

/** Looks into the tables that hold data of an account; the others only record what was done. */
const hasData = query<{ count: number }, { account: string }>(
  `select exists (select 1 from package where account = :account)
    or exists (select 1 from storage_day where account = :account)
    or exists (select 1 from storage_gap where account = :account) as count`,
);

/** True if the file has packages or storage of the account. */
export const hasAccount = (tx: Tx, account: string): boolean => hasData.count(tx, { account }) > 0;

const selectAccounts = query<{ account: string }>(
  'select account from package union select account from storage_day order by account',
).all;

/** The accounts with packages or storage. */
export const listAccounts = (tx: Tx): string[] => selectAccounts(tx).map(({ account }) => account);

const deleteLoads = query<never, { from: string; to: string }>(
  'delete from target_load where account in (:from, :to)',
).run;

/**
 * Renames an account in all rows: videos, storage, history, ledger, pauses and incidents. Returns their
 * number. The records of its loads are deleted instead, because no target has anything under the new name
 * yet.
 */
export function renameAccount(tx: Tx, from: string, to: string): number {
  deleteLoads(tx, { from, to });
  tx.$client.pragma('defer_foreign_keys = on');
  return withoutTriggers(tx, () =>
    listTablesWith(tx, 'account').reduce(
      (rows, table) =>
        rows +
        runOnTable(tx, `update or replace "${table}" set account = :to where account = :from`, { from, to }),
      0,
    ),
  );
}

/** What `vodhouse forget` names: an account, or one of its packages. */
export interface ForgetTarget {
  account: string;
  packageId: number | null;
}

/** The packages of the target, and whether they are retired. */
export const listTargetPackages = query<{ packageId: number; isRetired: 0 | 1 }, ForgetTarget>(
  `select package_id as packageId, retired_at is not null as isRetired from package
    where account = :account and (:packageId is null or package_id = :packageId) order by package_id`,
).all;

const condition = ({ packageId }: ForgetTarget) =>
  packageId === null ? 'account = :account' : 'account = :account and package_id = :packageId';

/** How many rows of the target each table has; tables without any are left out. */
export function countTargetRows(tx: Tx, target: ForgetTarget): { table: string; rows: number }[] {
  return tablesOf(tx, target)
    .map((table) => {
      const count = tx.$client.prepare(`select count(*) from "${table}" where ${condition(target)}`).pluck();
      return { table, rows: count.get({ ...target }) as number };
    })
    .filter(({ rows }) => rows > 0);
}

const recordForgotten = query<never, ForgetTarget & { at: string }>(
  'insert into forgotten (account_name, package_id, at) values (:account, :packageId, :at)',
).run;

/**
 * Deletes every row of the target at `now` (ms), and notes that: targets load the account again completely.
 */
export function forgetRows(tx: Tx, target: ForgetTarget, now: number): void {
  recordForgotten(tx, { ...target, at: toTimestamp(now) });
  withoutTriggers(tx, () => {
    for (const table of tablesOf(tx, target))
      runOnTable(tx, `delete from "${table}" where ${condition(target)}`, { ...target });
  });
}

/**
 * The tables with rows of the target. If the account itself stays, the ledger is not among them, because its
 * requests still count against the limits.
 */
const tablesOf = (tx: Tx, { packageId }: ForgetTarget): string[] =>
  packageId === null
    ? listTablesWith(tx, 'account')
    : listTablesWith(tx, 'account', 'package_id').filter((table) => table !== 'request');

/**
 * Runs `work` without the triggers of the file, and restores them. No run may change booked days, corrections
 * and versions; only a rename or `forget` may. Call it in a transaction: an error then restores the triggers
 * too.
 */
function withoutTriggers<Result>({ $client }: Tx, work: () => Result): Result {
  const triggers = $client.prepare(`select name, sql from sqlite_schema where type = 'trigger'`).all() as {
    name: string;
    sql: string;
  }[];
  for (const { name } of triggers) $client.exec(`drop trigger "${name}"`);
  const result = work();
  for (const { sql } of triggers) $client.exec(sql);
  return result;
}

/** The tables that have all these columns. */
function listTablesWith({ $client }: Tx, ...columns: readonly string[]): string[] {
  const tables = $client
    .prepare(
      `select t.name from sqlite_schema t join pragma_table_info(t.name) c
        where t.type = 'table' and c.name in (select value from json_each(?))
        group by t.name having count(*) = ?`,
    )
    .pluck();
  return tables.all(JSON.stringify(columns), columns.length) as string[];
}

/**
 * Runs a statement of one table, whose name is known only at run time. Returns the number of changed rows.
 */
function runOnTable({ $client }: Tx, sql: string, parameters: Readonly<Record<string, SqlValue>>): number {
  return $client.prepare(sql).run(parameters).changes;
}

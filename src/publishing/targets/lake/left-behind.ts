/** Accounts of which the lake has rows, and that the warehouse no longer has under that name. */
import { isFormerRow, type Stay } from '../../../lib/account-origins.ts';
import type { Source } from '../source.ts';
import type { Claim } from '../target.ts';
import { readHead } from './head.ts';
import { isOver, type Lake } from './lake.ts';
import type { Head } from './pointer.ts';
import { readSign } from './sign.ts';

/**
 * Those of the `known` accounts of this warehouse that are not in `accounts`, and those that were moved here and got another
 * name since. Throws StoreError.
 */
export async function listLeftBehind(
  lake: Lake,
  source: Source,
  known: readonly string[],
  accounts: readonly string[],
): Promise<string[]> {
  const names = new Set([...known, ...source.formerStays.map(({ account }) => account)]);
  const left: string[] = [];
  for (const account of [...names].filter((name) => !accounts.includes(name)).sort()) {
    const head = await readHead(lake, { account });
    if (!head || !hasRows(head)) continue;
    const isOurs = head.pointer.facts.warehouse_id === source.warehouseId;
    if (isOurs || (isFormer(head, account, source.formerStays) && !(await findHolder(lake, head, account))))
      left.push(account);
  }
  return left;
}

const hasRows = ({ pointer }: Head): boolean => Object.keys(pointer.files).length > 0;

/** Did the account come here by a move, under this name, and did it get another one since? */
export function isFormer({ pointer: { facts } }: Head, account: string, stays: readonly Stay[]): boolean {
  const { warehouse_id: warehouseId, timeline } = facts;
  return isFormerRow(stays, { account, warehouseId, timeline });
}

/** The worker that has the account by its lease; null: nobody. */
export async function findHolder(
  lake: Lake,
  { pointer: { facts } }: Head,
  account: string,
): Promise<Extract<Claim, { result: 'held' }> | null> {
  const sign = await readSign(lake, facts.instance);
  if (sign === null || isOver(lake, sign.lease_until)) return null;
  return { result: 'held', account, worker: facts.worker, until: sign.lease_until };
}

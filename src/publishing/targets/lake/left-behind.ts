/** Accounts of which the lake has rows, and that the warehouse no longer has under that name. */
import type { Source } from '../source.ts';
import { readHead } from './head.ts';
import type { Lake } from './lake.ts';
import type { Head } from './pointer.ts';

/** Those of the `known` accounts of this warehouse that are not in `accounts`. Throws StoreError. */
export async function listLeftBehind(
  lake: Lake,
  source: Source,
  known: readonly string[],
  accounts: readonly string[],
): Promise<string[]> {
  const left: string[] = [];
  for (const account of known.filter((name) => !accounts.includes(name)).sort()) {
    const head = await readHead(lake, { account });
    if (head && hasRows(head) && head.pointer.facts.warehouse_id === source.warehouseId) left.push(account);
  }
  return left;
}

const hasRows = ({ pointer }: Head): boolean => Object.keys(pointer.files).length > 0;

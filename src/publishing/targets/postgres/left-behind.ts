/** Accounts of which the target has rows, and that the warehouse no longer has under that name. */
import { isFormerRow, type Stay } from '../../../lib/account-origins.ts';
import type { Source } from '../source.ts';
import { toUtcText } from './claim.ts';
import type { Session } from './session.ts';

interface LeftBehind {
  account: string;
  /** Who has it by its lease, and until when (UTC, `YYYY-MM-DD HH:MM:SS`); null: nobody. */
  held: { worker: string; until: string } | null;
}

type Facts = Pick<Source, 'warehouseId' | 'formerStays'>;

/** Those that this warehouse loaded, but for the named ones; and those that were moved here and got another name since. */
export async function listLeftBehind(
  session: Session,
  { warehouseId, formerStays }: Facts,
  accounts: readonly string[],
): Promise<string[]> {
  const { rows } = await session.query<{ account: string }>(
    `SELECT account FROM ${session.name('vodhouse_account')}
WHERE warehouse_id = $1 AND load_id IS NOT NULL AND NOT account = ANY ($2)`,
    [warehouseId, accounts],
  );
  const former = await listFormer(session, formerStays);
  const free = former.filter(({ account, held }) => held === null && !accounts.includes(account));
  return [...rows, ...free].map(({ account }) => account).sort();
}

/** Rows of accounts that were moved here, under the names and of the warehouses that they had before. */
export async function listFormer(session: Session, stays: readonly Stay[]): Promise<LeftBehind[]> {
  if (stays.length === 0) return [];
  const { rows } = await session.query<
    Record<'account' | 'warehouse_id' | 'worker' | 'until', string> & {
      timeline: string | null;
      is_held: boolean;
    }
  >(
    `SELECT account, warehouse_id, timeline, worker, lease_until > now() AS is_held, ${toUtcText('lease_until')} AS until
FROM ${session.name('vodhouse_account')} WHERE account = ANY ($1) AND load_id IS NOT NULL`,
    [stays.map(({ account }) => account)],
  );
  return rows
    .filter(({ account, warehouse_id: warehouseId, timeline }) =>
      isFormerRow(stays, { account, warehouseId, timeline }),
    )
    .map(({ account, worker, until, is_held: isHeld }) => ({
      ...{ account, held: isHeld ? { worker, until } : null },
    }));
}

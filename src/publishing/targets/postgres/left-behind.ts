/** Accounts of which the target has rows, and that the warehouse no longer has under that name. */
import type { Source } from '../source.ts';
import type { Session } from './session.ts';

/** Those that this warehouse loaded, but for the named ones. */
export async function listLeftBehind(
  session: Session,
  { warehouseId }: Pick<Source, 'warehouseId'>,
  accounts: readonly string[],
): Promise<string[]> {
  const { rows } = await session.query<{ account: string }>(
    `SELECT account FROM ${session.name('vodhouse_account')}
WHERE warehouse_id = $1 AND load_id IS NOT NULL AND NOT account = ANY ($2) ORDER BY account`,
    [warehouseId, accounts],
  );
  return rows.map(({ account }) => account);
}

/** The table `loads`: whose each account is, and how fresh. Its files have the same in a tag, so a load reads the log only. */
import type { Database } from '../../../database/sqlite.ts';
import { column } from '../../marts/mart-columns.ts';
import { writeParquetFile } from '../../parquet.ts';
import type { AccountState, Force } from '../ownership.ts';
import type { Store } from '../stores/store.ts';
import type { Action, Snapshot } from './actions.ts';
import { addFile } from './files.ts';
import { filesOf, toRemoval } from './lake.ts';
import type { TableForm } from './tables.ts';

export const LOADS = 'loads';

const COLUMNS = [
  column('warehouse_id', 'TEXT', 'The warehouse that loaded the account.', ''),
  column('worker', 'TEXT', '`worker` of its config.', ''),
  column('version', 'TEXT', 'Version of vodhouse.', ''),
  column('publication_id', 'TEXT', 'The published file that was loaded.', ''),
  column('change_seq', 'BIGINT', 'The last change of a video of the account.', ''),
  column('published_at', 'TIMESTAMP', 'When that file was made.', ''),
  column('loaded_at', 'TIMESTAMP', 'When the load ended.', ''),
  column('table_versions', 'TEXT', 'The version of each table after the load, as JSON.', ''),
].map((each) => ({ ...each, isRequired: false }));

export const LOADS_FORM: TableForm = {
  name: LOADS,
  description: 'One row per account: who loaded it last, from what, and when.',
  columns: COLUMNS,
  partition: { name: 'account', description: 'Name of the account.' },
};

/** What the log tells of an account. */
export interface Claim {
  state: AccountState;
  /** What a load does that has begun, and did not end yet; null: none has. */
  pending: 'all' | 'changes' | null;
  /** What readers see: the last load that ended, by column; null before the first one. */
  row: Readonly<Record<string, string | number>> | null;
}

/** The claims of all accounts, by name. */
export const readClaims = ({ files }: Snapshot): Map<string, Claim> =>
  new Map(
    [...files.values()].map(({ partitionValues, tags }) => [
      partitionValues['account'] ?? '',
      JSON.parse(tags['claim'] ?? 'null') as Claim,
    ]),
  );

/** The actions that replace the claim of an account by another one; null: the account goes. */
export async function replaceClaim(
  store: Store,
  db: Database,
  snapshot: Snapshot,
  account: string,
  claim: Claim | null,
): Promise<Action[]> {
  const removed = filesOf(snapshot, 'account', account).map(toRemoval);
  if (claim === null) return removed;
  const values = COLUMNS.map(({ name, type }) =>
    type === 'BIGINT' ? `cast(:row ->> '${name}' as integer) as ${name}` : `:row ->> '${name}' as ${name}`,
  );
  const from = `from (select ${values.join(', ')} where :row <> 'null') t`;
  const file = writeParquetFile(db, {
    columns: COLUMNS,
    from,
    parameters: { row: JSON.stringify(claim.row) },
  });
  const owner = { partitionValues: { account }, tags: { claim: JSON.stringify(claim) } };
  return [...removed, { add: await addFile(store, LOADS, file, owner) }];
}

/** What a load that begins does: everything, where a person said so, an earlier one did not end, or rows have another shape. */
export function chooseKind(claim: Claim | null, shape: string, force: Force | null): 'all' | 'changes' {
  const isWhole = claim === null || force !== null || claim.pending === 'all' || claim.state.shape !== shape;
  return isWhole ? 'all' : 'changes';
}

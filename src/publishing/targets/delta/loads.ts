/**
 * The table `loads`: which warehouse each account belongs to, and how fresh it is. A tag in the log has the
 * same facts for later loads.
 */
import { columnsFromCode, type CodeColumns, type RowOf } from '../../marts/mart-columns.ts';
import { writeParquetFile } from '../parquet.ts';
import type { AccountState } from '../ownership.ts';
import type { Action, Snapshot } from './actions.ts';
import { addFile } from './files.ts';
import { filesOf, toRemoval, type LoadContext } from './lake.ts';
import type { TableForm } from './tables.ts';

export const LOADS = 'loads';

/** `account` is the partition: its values are in the log. */
const LOADS_COLUMNS = {
  warehouse_id: { type: 'TEXT', description: 'The warehouse that loaded the account.' },
  worker: { type: 'TEXT', description: '`worker` of its config.' },
  version: { type: 'TEXT', description: 'Version of vodhouse.' },
  publication_id: { type: 'TEXT', description: 'The published file that was loaded.' },
  change_seq: { type: 'BIGINT', description: 'The last change of a video of the account.' },
  published_at: { type: 'TIMESTAMP', description: 'When that file was made.' },
  loaded_at: { type: 'TIMESTAMP', description: 'When the load ended.' },
  table_versions: { type: 'TEXT', description: 'The version of each table after the load, as JSON.' },
} as const satisfies CodeColumns;
const COLUMNS = columnsFromCode(LOADS_COLUMNS);

const LOADS_FORM: TableForm = {
  name: LOADS,
  description: 'One row per account: who loaded it last, from what, and when.',
  columns: COLUMNS,
  partition: 'account',
};

/** What the log holds of an account. */
export interface Claim {
  state: AccountState;
  /** What a load that has begun and not ended loads; null if there is none. */
  pending: 'all' | 'changes' | null;
  /** What readers see: the last load that ended, by column; null before the first one. */
  row: RowOf<typeof LOADS_COLUMNS> | null;
}

/**
 * The claims of all accounts, by name. An account whose file another program wrote has none, and is loaded
 * in full.
 */
export const readClaims = ({ files }: Snapshot): Map<string, Claim> =>
  new Map(
    [...files.values()].flatMap(({ partitionValues, tags: { claim } }) =>
      claim === undefined ? [] : [[partitionValues['account'] ?? '', JSON.parse(claim) as Claim]],
    ),
  );

/** Replaces the claim of an account, or removes it (null), and those of `others`, in one commit. */
export async function writeClaim(
  { lake, source, worker }: LoadContext,
  account: string,
  claim: Pick<Claim, 'pending' | 'row'> | null,
  others: readonly string[] = [],
): Promise<void> {
  const { snapshot } = await lake.getLog(LOADS);
  const owners = [account, ...others];
  const actions: Action[] = owners.flatMap((name) => filesOf(snapshot, 'account', name)).map(toRemoval);
  if (claim !== null) {
    const { row } = claim;
    const state: AccountState = {
      warehouseId: source.warehouseId,
      publicationId: source.publicationId,
      changeSeq: row?.change_seq ?? 0,
      shape: source.shapeOf(account),
      worker,
      loadedAt: row?.loaded_at ?? null,
    };
    const { body, rows } = await writeParquetFile(source.db, {
      ...ROW,
      parameters: { row: JSON.stringify(row) },
    });
    const facts = {
      partitionValues: { account },
      tags: { claim: JSON.stringify({ ...claim, state } satisfies Claim) },
      stats: JSON.stringify({ numRecords: rows }),
    };
    actions.push({ add: await addFile(lake.store, LOADS, body, facts) });
  }
  await lake.commit(LOADS_FORM, actions, owners);
}

const toExpression = ({ name, type }: (typeof COLUMNS)[number]) =>
  `cast(:row ->> '${name}' as ${type === 'BIGINT' ? 'integer' : 'text'}) as ${name}`;

/** The row of a claim, from a JSON object; none from `null`. */
const ROW = {
  columns: COLUMNS,
  from: `from (select ${COLUMNS.map(toExpression).join(', ')} where :row <> 'null') t`,
};

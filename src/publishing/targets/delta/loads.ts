/** The table `loads`: whose each account is, and how fresh. Its files have the same in their tags, so a load reads the log only. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../../database/sqlite.ts';
import { column } from '../../marts/mart-columns.ts';
import { writeParquetFile } from '../../parquet.ts';
import type { AccountState, Force } from '../ownership.ts';
import type { Store } from '../stores/store.ts';
import type { Action, AddFile, Snapshot } from './actions.ts';
import { filesOf, TIMEZONE, toRemoval } from './lake.ts';
import type { TableForm } from './schema.ts';

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
];

/** `timezone` is that of the days in the lake: one of another calendar is refused. */
export const toLoadsForm = (timezone: string): TableForm => ({
  name: LOADS,
  description: 'One row per account: who loaded it last, from what, and when.',
  columns: COLUMNS,
  partition: { name: 'account', description: 'Name of the account.' },
  configuration: { [TIMEZONE]: timezone },
});

/** The row of an account, as a load that ended wrote it. */
export interface LoadRow {
  warehouse_id: string;
  worker: string;
  version: string;
  publication_id: string;
  change_seq: number;
  published_at: string;
  loaded_at: string;
  table_versions: string;
}

/** What the log tells of an account. */
export interface Claim {
  state: AccountState;
  /** What the load that has begun does, and did not end yet; null: none has. */
  pending: 'all' | 'changes' | null;
  /** The row that readers see; null before the first load ended. */
  row: LoadRow | null;
}

/** The claims of all accounts, by name. */
export function readClaims({ files }: Snapshot): Map<string, Claim> {
  return new Map([...files.values()].map((file) => [file.partitionValues['account'] ?? '', toClaim(file)]));
}

function toClaim({ tags }: AddFile): Claim {
  const row = JSON.parse(tags['row'] ?? 'null') as LoadRow | null;
  const { warehouse_id = '', publication_id = '', worker = '', shape = '', pending = '' } = tags;
  return {
    state: {
      ...{ warehouseId: warehouse_id, publicationId: publication_id, worker, shape },
      changeSeq: row?.change_seq ?? 0,
      loadedAt: row?.loaded_at ?? null,
    },
    pending: pending === 'all' || pending === 'changes' ? pending : null,
    row,
  };
}

/** The actions that replace the claim of an account by another one; null: the account goes. */
export async function replaceClaim(
  store: Store,
  db: Database,
  snapshot: Snapshot,
  account: string,
  claim: Claim | null,
): Promise<Action[]> {
  const removed = filesOf(snapshot, 'account', account).map(toRemoval);
  return claim === null ? removed : [...removed, { add: await writeClaim(store, db, account, claim) }];
}

async function writeClaim(
  store: Store,
  db: Database,
  account: string,
  { state, pending, row }: Claim,
): Promise<AddFile> {
  const columns = COLUMNS.map((each) => ({ ...each, isRequired: false }));
  // a number of JavaScript would be bound as REAL
  const values = COLUMNS.map(({ name, type }) =>
    type === 'BIGINT' ? `cast(:${name} as integer) as "${name}"` : `:${name} as "${name}"`,
  ).join(', ');
  const from = `from (select ${values} where :has_row) t`;
  const nothing = Object.fromEntries(COLUMNS.map(({ name }) => [name, null]));
  const parameters = { ...nothing, ...row, has_row: row === null ? 0 : 1 };
  const { body } = writeParquetFile(db, { columns, from, parameters });
  const path = `part-${randomUUID()}.parquet`;
  await store.put(`${LOADS}/${path}`, body);
  return {
    path,
    partitionValues: { account },
    size: body.reduce((sum, { byteLength }) => sum + byteLength, 0),
    modificationTime: Date.now(),
    dataChange: true,
    stats: JSON.stringify({ numRecords: row === null ? 0 : 1 }),
    tags: {
      warehouse_id: state.warehouseId,
      publication_id: state.publicationId,
      worker: state.worker,
      shape: state.shape,
      ...(pending !== null && { pending }),
      row: JSON.stringify(row),
    },
  };
}

/** What a load that begins does: everything again, where a person said so, an earlier one did not end, or rows have another shape. */
export function chooseKind(claim: Claim | null, shape: string, force: Force | null): 'all' | 'changes' {
  const isWhole = claim === null || force !== null || claim.pending === 'all' || claim.state.shape !== shape;
  return isWhole ? 'all' : 'changes';
}

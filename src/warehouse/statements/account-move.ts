/** Accounts that came from another live file, or go to one. */
import type { Tx } from '../../database/connection.ts';
import { ConfigError } from '../../lib/errors.ts';
import { query } from '../../database/query.ts';
import type { MovedAccount, Origin } from '../../lib/account-origins.ts';

type MoveRow = Omit<MovedAccount, 'origins'> & { origins: string };

const COLUMNS = `account, state, arrival_id as arrivalId, origins, move_id as moveId, other_file as otherFile,
  other_warehouse_id as otherWarehouseId, at`;

const selectMove = query<MoveRow, { account: string }>(
  `select ${COLUMNS} from account_move where account = :account`,
).get;

const selectMoves = query<MoveRow>(`select ${COLUMNS} from account_move order by account`).all;

const toMove = (row: MoveRow): MovedAccount => ({ ...row, origins: JSON.parse(row.origins) as Origin[] });

/** Null for an account that no move concerns. */
export function findMove(tx: Tx, account: string): MovedAccount | null {
  const row = selectMove(tx, { account });
  return row ? toMove(row) : null;
}

/** Where the account was before it came into this file; none where it began here. */
export const getOrigins = (tx: Tx, account: string): readonly Origin[] =>
  findMove(tx, account)?.origins ?? [];

/** Throws ConfigError where the account was moved away, or is about to be: what is written here would be lost. */
export function assertNotMoving(tx: Tx, account: string): void {
  const move = findMove(tx, account);
  if (move === null || move.state === 'here') return;
  throw new ConfigError(`account ${account} is moved to ${move.otherFile}: nothing was changed`, {
    hint: 'finish the move, and repeat this with the config of that file',
  });
}

export const listMoves = (tx: Tx): MovedAccount[] => selectMoves(tx, {}).map(toMove);

const upsertMove = query<never, MoveRow>(
  `insert into account_move (account, state, arrival_id, origins, move_id, other_file, other_warehouse_id, at)
    values (:account, :state, :arrivalId, :origins, :moveId, :otherFile, :otherWarehouseId, :at)
    on conflict do update set state = excluded.state, arrival_id = excluded.arrival_id, origins = excluded.origins,
      move_id = excluded.move_id, other_file = excluded.other_file,
      other_warehouse_id = excluded.other_warehouse_id, at = excluded.at`,
).run;

/** Adds or replaces the row of the account. */
export const writeMove = (tx: Tx, move: MovedAccount): void =>
  void upsertMove(tx, { ...move, origins: JSON.stringify(move.origins) });

export const deleteMove = query<never, { account: string }>(
  'delete from account_move where account = :account',
).run;

/** What a restore keeps of the moves of accounts: without it, an account that has left would be synced in two files. */
import type { Database } from '../database/sqlite.ts';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { accountMove } from '../database/schema/moves.ts';
import type { Tx } from '../database/connection.ts';
import { ConfigError } from '../lib/errors.ts';

type MarkRow = typeof accountMove.$inferSelect;

/** An account of a restored file that stays moved away, or about to be. */
export interface KeptMark {
  account: string;
  state: 'leaving' | 'left';
  other_file: string;
}

/** The moves that a file knows: none for one of a format without them. Throws where it cannot be read. */
export function readMarks(client: Database): MarkRow[] {
  const table = client.prepare(`select name from sqlite_schema where name = 'account_move'`).get();
  return table === undefined ? [] : selectMarks(drizzle(client));
}

const selectMarks = (tx: Pick<Tx, 'select'>): MarkRow[] => tx.select().from(accountMove).all();

/**
 * Throws ConfigError where an account came into the live file after the backup was made: with the backup in its place, no file
 * would have it. `marks`: those of the live file.
 */
export function assertNoArrivalLost(
  tx: Tx,
  marks: readonly MarkRow[],
  { live, file }: { live: string; file: string },
): void {
  const known = selectMarks(tx).filter(({ state }) => state !== 'left');
  const lost = marks.filter(
    ({ state, arrival_id: id }) =>
      state !== 'left' && id !== null && !known.some((row) => row.arrival_id === id),
  );
  const [first] = lost;
  if (first === undefined) return;
  const names = lost.map(({ account }) => account).join(', ');
  throw new ConfigError(
    `${file} is from before account ${names} was moved into ${live}: no file would have it then; nothing was changed`,
    { hint: `move it out first (vodhouse move ${first.account} --to FILE), or add --without-moved` },
  );
}

/** Writes the marks of accounts that left the live file, or were about to, into the restored one. Returns these. */
export function keepMarks(tx: Tx, marks: readonly MarkRow[]): KeptMark[] {
  const known = selectMarks(tx);
  const kept = marks.filter((mark) => mark.state !== 'here' && !known.some((row) => isLater(row, mark)));
  for (const mark of kept)
    tx.insert(accountMove).values(mark).onConflictDoUpdate({ target: accountMove.account, set: mark }).run();
  return kept.map(({ account, state, other_file }) => ({
    account,
    state: state === 'left' ? 'left' : 'leaving',
    other_file,
  }));
}

/** Does the row know that the account came back after the move of the mark, or that this move has got as far? */
function isLater(row: MarkRow, mark: MarkRow): boolean {
  if (mark.move_id === null) return false;
  if (row.move_id === mark.move_id) return row.state === 'left' || mark.state === 'leaving';
  return row.origins.includes(mark.move_id);
}

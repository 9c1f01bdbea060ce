/** The other file of a move: whether it has the account, and what to do where it has lost it. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openReadOnly, type Db } from '../database/connection.ts';
import { commandsFor, shellQuote, type FormatCommand } from '../health/commands.ts';
import type { MovedAccount } from '../lib/account-origins.ts';
import { ConfigError, NEXT_LINE } from '../lib/errors.ts';
import { findArrival } from '../warehouse/move/move-account.ts';
import { getFileUse, getIdentity } from '../warehouse/statements/warehouse-state.ts';
import { describeMove } from './moved-accounts.ts';

/** What is at the path of the other file: not one, or another one than that of the move, or that one. */
export interface OtherFile {
  state: 'missing' | 'another' | 'same';
  /** What it has of the account, under the name that the account has there now; null where it has nothing. */
  arrival: MovedAccount | null;
  /** The config that used it last; null where none did. */
  config: string | null;
}

/** Opens a file to look at it. Throws WarehouseError for one of an older version: a worker of that version may use it. */
export function withDatabase<Result>(path: string, work: (db: Db) => Result): Result {
  const db = openReadOnly(path);
  try {
    return work(db);
  } finally {
    db.$client.close();
  }
}

/** Looks at the other file of a move that has begun, or ended. */
export function inspectOtherFile(move: MovedAccount): OtherFile {
  if (!existsSync(move.otherFile)) return { state: 'missing', arrival: null, config: null };
  return withDatabase(move.otherFile, (db) => ({
    state: getIdentity(db).warehouseId === move.otherWarehouseId ? 'same' : 'another',
    arrival: findArrival(db, move.moveId ?? ''),
    config: getFileUse(db).file,
  }));
}

/** Throws ConfigError where a move that was broken off cannot go on into the file that is there now. */
export function assertSameFile(
  move: MovedAccount,
  { state, arrival }: OtherFile,
  format: FormatCommand,
): void {
  if (state === 'same' || arrival !== null) return;
  const what = state === 'missing' ? 'that file is not there' : 'another file is in its place now';
  throw new ConfigError(`${describeMove(move)}, and ${what}: it may have the account already`, {
    hint: [
      `put the file of the move back to ${move.otherFile}, and repeat the command`,
      `or, where it is lost: ${format(`move ${shellQuote(move.account)} --take-back`)}`,
    ].join(NEXT_LINE),
  });
}

/** Throws ConfigError unless the other file of a move that ended has the account. Returns its name there. */
export function assertThere(
  move: MovedAccount,
  { state, arrival, config }: OtherFile,
  from: string,
  format: FormatCommand,
): string {
  const forget = format(`move ${shellQuote(move.account)} --forget-move`);
  if (arrival?.state === 'left')
    throw new ConfigError(
      `${describeMove(move)}, and from there to ${arrival.otherFile} (${arrival.at} UTC)`,
      {
        hint: 'move it on from there, with the config of that file',
      },
    );
  if (arrival !== null) return arrival.account;
  if (state === 'missing')
    throw new ConfigError(`${describeMove(move)}, and that file is not there: nothing was checked`, {
      hint: [
        'nothing is left to do where it was taken to another machine',
        `or put it back, or restore it; or, where the account is lost: ${forget}`,
      ].join(NEXT_LINE),
    });
  const what = state === 'same' ? 'was replaced by one from before the move' : 'is another one now';
  const restore = config === null ? (words: string) => `vodhouse ${words}` : commandsFor(config);
  const copies = listFiles(`${move.otherFile}.before-restore-`).filter((path) => hasArrival(path, move));
  throw new ConfigError(`${describeMove(move)}, but that file ${what}: it does not have the account`, {
    hint: [
      ...copies
        .slice(-1)
        .map((path) => `restore the copy that has it: ${restore(`restore ${shellQuote(path)}`)}`),
      ...listFiles(`${from}.before-move-`)
        .slice(-1)
        .map((path) => `the account as it was before the move is in ${path}`),
      `to have it here again: ${forget}`,
    ].join(NEXT_LINE),
  });
}

/** Files whose names begin so, the oldest first; without logs. */
function listFiles(beginning: string): string[] {
  return readdirSync(dirname(beginning))
    .filter((name) => name.startsWith(basename(beginning)) && !/-(?:wal|shm|journal)$/.test(name))
    .sort()
    .map((name) => join(dirname(beginning), name));
}

/** False for a file that cannot be read. */
function hasArrival(path: string, { moveId }: MovedAccount): boolean {
  try {
    return withDatabase(path, (db) => findArrival(db, moveId ?? '') !== null);
  } catch {
    return false;
  }
}

/** Throws ConfigError where the other file has the account: then the mark here is true. */
export function assertNotThere(move: MovedAccount, { arrival }: OtherFile, from: string): void {
  if (arrival === null) return;
  const [onward, to] = arrival.state === 'left' ? ['on ', arrival.otherFile] : ['', move.otherFile];
  const back = `vodhouse move ${shellQuote(arrival.account)} --to ${shellQuote(from)}`;
  throw new ConfigError(
    `account ${move.account} was moved ${onward}to ${to}, and ${move.otherFile} knows it`,
    {
      hint: `move it back, with the config of ${to}: ${back}`,
    },
  );
}

/** `vodhouse move`: both files under their locks, what may be moved, and the steps of the move. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { backUpInChild } from '../backup/backup.ts';
import { openDatabase, type Db } from '../database/connection.ts';
import { tryLock, createLockedError, type Lock } from '../database/lock.ts';
import { resolveLink } from '../database/paths.ts';
import { shellQuote, type FormatCommand } from '../health/commands.ts';
import type { MovedAccount } from '../lib/account-origins.ts';
import { toTimestamp, type Clock } from '../lib/clock.ts';
import { findNearest } from '../lib/did-you-mean.ts';
import { ConfigError, LockedError, NEXT_LINE, toInterruptedError } from '../lib/errors.ts';
import { createHolder } from '../publishing/targets/holder.ts';
import { hasAccount, listAccounts } from '../warehouse/accounts.ts';
import { countMovedRows, type RowCounts } from '../warehouse/move/copy-account.ts';
import { SHARED_TABLES } from '../warehouse/move/moved-tables.ts';
import { arrive, beginMove, findArrival, finishMove, takeBackMove } from '../warehouse/move/move-account.ts';
import { findMove } from '../warehouse/statements/account-move.ts';
import { getBookedZone, getFileUse } from '../warehouse/statements/warehouse-state.ts';
import { assertSameZone } from './file-use.ts';
import { assertOneCalendar, assertSameUnits } from './move-checks.ts';
import { describeMove } from './moved-accounts.ts';
import { assertNotThere, assertSameFile, assertThere, inspectOtherFile, withDatabase } from './other-file.ts';

export interface MoveContext {
  config: Config;
  account: string;
  clock: Clock;
  signal: AbortSignal;
  formatCommand: FormatCommand;
}

/** The error where another process has a lock of a file. */
export function createInUseError(path: string, name: 'worker' | 'run'): LockedError {
  const hint = 'stop it first: a move needs both files for itself';
  return new LockedError(`${path}: ${createLockedError(path, name).message}`, { hint });
}

/** The locks of both files, taken as one. Throws LockedError that names who has one of them. */
export function lockFiles(paths: readonly string[], now: number): Pick<Lock, 'release'> {
  const locks: Lock[] = [];
  const release = () => locks.splice(0).forEach((lock) => lock.release());
  for (const path of paths)
    for (const name of ['worker', 'run'] as const) {
      const lock = tryLock(path, name, 'move', now);
      if (lock) locks.push(lock);
      else {
        release();
        throw createInUseError(path, name);
      }
    }
  return { release };
}

/** The absolute path of the other file. Throws ConfigError where it is that of the config. */
export function resolveDestination(config: Config, to: string): string {
  const path = resolveLink(resolve(to));
  if (path === resolveLink(config.warehouse))
    throw new ConfigError(`${to} is the warehouse of ${config.file}: the account is there already`, {
      hint: '--to names the live file of another worker, or one that is not there yet',
    });
  return path;
}

/** What stands before a move. */
export interface MovePlan {
  rows: RowCounts;
  /** The move that was broken off, and goes on; null for a new one. */
  resumed: MovedAccount | null;
  /** It ended before, and nothing is left to do: the name of the account in the other file. Else null. */
  doneAs: string | null;
}

/** Throws ConfigError where the account cannot be moved to the file. Changes nothing, and makes no file. */
export function planMove(context: MoveContext, from: Db, to: string): MovePlan {
  const { config, account, formatCommand } = context;
  const known = findMove(from, account);
  const rows = countMovedRows(from, account);
  if (known?.state === 'left') {
    if (known.otherFile === to)
      return {
        rows,
        resumed: known,
        doneAs: assertThere(known, inspectOtherFile(known), config.warehouse, formatCommand),
      };
    throw new ConfigError(`account ${account} is not in ${config.warehouse}: ${describeMove(known)}`, {
      hint: `move it on from there, with the config of that file: vodhouse move ${shellQuote(account)} --to FILE`,
    });
  }
  if (known?.state === 'leaving' && known.otherFile !== to)
    throw new ConfigError(describeMove(known), { hint: brokenOffHint(known, formatCommand) });
  if (!hasAccount(from, account)) throw unknownAccount(from, account);
  const resumed = known?.state === 'leaving' ? known : null;
  assertSameZone(config, getBookedZone(from));
  if (resumed) assertSameFile(resumed, inspectOtherFile(resumed), formatCommand);
  if (existsSync(to)) assertMayTake(to, from, { ...context, resumed });
  return { rows, resumed, doneAs: null };
}

function unknownAccount(from: Db, account: string): ConfigError {
  const accounts = listAccounts(from);
  const nearest = findNearest(account, accounts);
  return new ConfigError(`the warehouse has no account ${account}`, {
    hint:
      nearest === undefined || nearest === account
        ? `it has the accounts ${accounts.join(', ')}`
        : `did you mean ${nearest}?`,
  });
}

/** What to type where a move was broken off. */
export function brokenOffHint({ account, otherFile }: MovedAccount, format: FormatCommand): string {
  const name = shellQuote(account);
  return [
    `finish it: ${format(`move ${name} --to ${shellQuote(otherFile)}`)}`,
    `or take it back: ${format(`move ${name} --take-back`)}`,
  ].join(NEXT_LINE);
}

type Arrival = MoveContext & Pick<MovePlan, 'resumed'>;

/** Throws ConfigError where the other file may not get the account. */
function assertMayTake(path: string, from: Db, { account, resumed, config }: Arrival): void {
  withDatabase(path, (to) => {
    if (resumed?.moveId != null && findArrival(to, resumed.moveId) !== null) return;
    const known = findMove(to, account);
    if (known?.state === 'leaving')
      throw new ConfigError(`${path}: ${describeMove(known)}`, {
        hint: `finish or take back that move first, with the config of ${path}`,
      });
    if (known?.state === 'left') assertCameBack(path, known, findMove(from, account));
    const own = countMovedRows(to, account).filter(({ table }) => !SHARED_TABLES.includes(table));
    if (own.length > 0)
      throw new ConfigError(`${path} has an account ${account} of its own (${describeRows(own)})`, {
        hint: `take it out of the config of that file, and delete it there: vodhouse forget ${shellQuote(account)}`,
      });
    assertOneCalendar(path, config, to);
    assertSameUnits(path, config, to);
    const [use, theirUse] = [getFileUse(from), getFileUse(to)];
    if (use.isDemo !== theirUse.isDemo && theirUse.packages > 0)
      throw new ConfigError(`one of ${config.warehouse} and ${path} is the file of vodhouse demo`, {
        hint: 'its videos are simulated: name another file',
      });
  });
}

/** Throws ConfigError where the other file gave the account away, and this one is not what it has become since. */
function assertCameBack(path: string, left: MovedAccount, here: MovedAccount | null): void {
  if (here?.origins.some(({ moveId }) => moveId === left.moveId)) return;
  throw new ConfigError(
    `${path} gave its account away: ${describeMove(left)}; the one here is not that one`,
    {
      hint: [
        `an older copy: move the account from ${left.otherFile}, with the config of that file`,
        `another account: give it a name of its own here first, with \`was: ${left.account}\``,
      ].join(NEXT_LINE),
    },
  );
}

const describeRows = (rows: RowCounts) => rows.map(({ table, rows: n }) => `${table} ${n}`).join(', ');

/** Copies both files, where they are there, next to themselves. Returns the copies. */
export async function backUpBoth(
  paths: readonly string[],
  { clock, signal }: Pick<MoveContext, 'clock' | 'signal'>,
): Promise<string[]> {
  const at = toTimestamp(clock.now()).replaceAll(/[-:]/g, '').replace(' ', '-');
  const copies: string[] = [];
  for (const path of paths.filter((each) => existsSync(each))) {
    const copy = `${path}.before-move-${at}`;
    await backUpInChild(path, copy, signal);
    copies.push(copy);
  }
  return copies;
}

/** The three steps, or what is left of them. Throws InterruptedError between two of them where the signal aborts. */
export async function makeMove(
  { config, account, clock, signal }: MoveContext,
  from: Db,
  path: string,
): Promise<void> {
  const to = openDatabase(path, clock.now());
  try {
    const { instance } = createHolder(config);
    const files = { from: { path: resolveLink(config.warehouse), db: from }, to: { path, db: to } };
    const request = { account, ...files, instance, now: clock.now() };
    const pause = async () => {
      await clock.sleep(0); // a signal gets its turn
      if (signal.aborted) throw toInterruptedError(signal);
    };
    await pause();
    const moveId = beginMove(request);
    await pause();
    arrive(request, moveId);
    await pause();
    finishMove(request);
  } finally {
    to.$client.close();
  }
}

/** The move that may be taken back. Throws ConfigError where there is none. */
export function planTakeBack(
  { config, account, formatCommand }: Omit<MoveContext, 'signal'>,
  from: Db,
): MovedAccount {
  const move = findMove(from, account);
  if (move?.state === 'leaving') return move;
  if (move?.state !== 'left') throw new ConfigError(`no move of account ${account} is under way`);
  const name = assertThere(move, inspectOtherFile(move), config.warehouse, formatCommand);
  const back = `move ${shellQuote(name)} --to ${shellQuote(resolveLink(config.warehouse))}`;
  throw new ConfigError(describeMove(move), {
    hint: `move it back, with the config of that file: vodhouse ${back}`,
  });
}

/** The mark that may be forgotten. Throws ConfigError where there is none. */
export function planForgetMove(
  { account, formatCommand }: Omit<MoveContext, 'signal'>,
  from: Db,
): MovedAccount {
  const move = findMove(from, account);
  if (move?.state === 'left') return move;
  if (move?.state === 'leaving')
    throw new ConfigError(describeMove(move), { hint: brokenOffHint(move, formatCommand) });
  throw new ConfigError(`account ${account} was not moved away`);
}

/** Deletes the mark of a move. Throws ConfigError where the other file has the account, or knows where it is. */
export function forgetMove(
  { config, clock }: Omit<MoveContext, 'signal'>,
  from: Db,
  move: MovedAccount,
): void {
  assertNotThere(move, inspectOtherFile(move), resolveLink(config.warehouse));
  takeBackMove(from, move, clock.now());
}

/** Throws ConfigError where the other file has the account: then the move can only be finished. */
export function takeBack(
  { clock, formatCommand }: Omit<MoveContext, 'signal'>,
  from: Db,
  move: MovedAccount,
): void {
  const { account, otherFile } = move;
  if (inspectOtherFile(move).arrival !== null)
    throw new ConfigError(`account ${account} is complete in ${otherFile}: the move can only be finished`, {
      hint: formatCommand(`move ${shellQuote(account)} --to ${shellQuote(otherFile)}`),
    });
  takeBackMove(from, move, clock.now());
}

import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { backUp } from '../../src/backup/backup.ts';
import { restore } from '../../src/backup/restore.ts';
import { openDatabase } from '../../src/database/connection.ts';
import { forget } from '../../src/warehouse/accounts.ts';
import { arrive, beginMove, finishMove } from '../../src/warehouse/move/move-account.ts';
import { fillAccount } from '../support/fixtures/account-rows.ts';
import { catchConfigError } from '../support/fixtures/load-config.ts';
import { execute, readRows, readValue } from '../support/fixtures/live-file.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const NOW = Date.parse('2026-03-05T12:00Z');

/** The path of a live file with these accounts, which nothing has open. */
function createFile(...accounts: string[]): string {
  const path = join(temporaryFolder(), 'live.db');
  const db = openDatabase(path, NOW);
  db.$client.pragma('foreign_keys = off'); // rows of tests have no parents
  for (const account of accounts) fillAccount(db, account);
  db.$client.close();
  return path;
}

/** The steps of a move, from the first one on. */
function move(from: string, to: string, steps = 3): void {
  const [source, target] = [from, to].map((path) => ({ path, db: openDatabase(path, NOW) }));
  if (source === undefined || target === undefined) return;
  source.db.$client.pragma('foreign_keys = off');
  target.db.$client.pragma('foreign_keys = off');
  const asked = { account: 'second', from: source, to: target, instance: 'instance-1', now: NOW };
  const id = beginMove(asked);
  if (steps > 1) arrive(asked, id);
  if (steps > 2) finishMove(asked);
  source.db.$client.close();
  target.db.$client.close();
}

function backUpOf(path: string, name = 'backup.db'): string {
  const copy = join(temporaryFolder(), name);
  backUp(path, copy);
  return copy;
}

const statesOf = (path: string) => readRows(path, 'select account, state from account_move');
const countVideos = (path: string) => readValue(path, `select count(*) from video where account = 'second'`);

describe('a restore of a file that an account was moved out of', () => {
  it('keeps the mark of the move, in both of its states; forget deletes the rows, and not the mark', () => {
    const [one, two] = [createFile('main', 'second'), createFile('third')];
    const backup = backUpOf(one);
    move(one, two, 1);
    expect(restore(one, backup, NOW).moves).toEqual([
      { account: 'second', state: 'leaving', other_file: two },
    ]);
    expect(statesOf(one)).toEqual([{ account: 'second', state: 'leaving' }]);
    move(one, two);
    expect(restore(one, backup, NOW).moves).toEqual([{ account: 'second', state: 'left', other_file: two }]);
    expect([statesOf(one), countVideos(one)]).toEqual([[{ account: 'second', state: 'left' }], 3]);
    const db = openDatabase(one, NOW);
    onTestFinished(() => void db.$client.close());
    forget(db, { account: 'second', packageId: null }, NOW);
    expect([statesOf(one), countVideos(one)]).toEqual([[{ account: 'second', state: 'left' }], 0]);
  });

  it('keeps no mark where the account has come back by the time of the backup', () => {
    const [one, two] = [createFile('main', 'second'), createFile('third')];
    const before = backUpOf(one);
    move(one, two);
    const between = backUpOf(one);
    move(two, one);
    const after = backUpOf(one);
    expect(catchConfigError(() => restore(one, before, NOW)).message).toContain(
      'account second was moved into',
    );
    restore(one, between, NOW, true);
    expect(statesOf(one)).toEqual([{ account: 'second', state: 'left' }]);
    expect(restore(one, after, NOW).moves).toEqual([]);
    expect([statesOf(one), countVideos(one)]).toEqual([[{ account: 'second', state: 'here' }], 3]);
  });
});

describe('a restore of a file that an account was moved into', () => {
  it('is refused where the backup is from before: no file would have it', () => {
    const [one, two] = [createFile('main', 'second'), createFile('third')];
    const backup = backUpOf(two);
    move(one, two);
    execute(two, `update account_move set account = 'zwei'`);
    const { message, hint } = catchConfigError(() => restore(two, backup, NOW));
    expect(message).toBe(
      `${backup} is from before account zwei was moved into ${two}: no file would have it then; nothing was changed`,
    );
    expect(hint).toContain('add --without-moved');
    expect(countVideos(two)).toBe(3);
    expect(restore(two, backup, NOW, true).moves).toEqual([]);
    expect(countVideos(two)).toBe(0);
  });
});

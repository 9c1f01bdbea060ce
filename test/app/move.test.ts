import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openConfiguredWarehouse } from '../../src/app/configured-warehouse.ts';
import {
  forgetMove,
  makeMove,
  planForgetMove,
  planMove,
  planTakeBack,
  takeBack,
} from '../../src/app/move.ts';
import { openDatabase, type Db } from '../../src/database/connection.ts';
import { commandsFor } from '../../src/health/commands.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { silentProgress } from '../../src/sync/context.ts';
import { renameAccount } from '../../src/warehouse/accounts.ts';
import { correctDay } from '../../src/warehouse/store-days.ts';
import { arrive, beginMove } from '../../src/warehouse/move/move-account.ts';
import { createVirtualClock } from '../support/clocks/virtual-clock.ts';
import { fillAccount } from '../support/fixtures/account-rows.ts';
import { catchConfigError } from '../support/fixtures/load-config.ts';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';
import { createTestConfig } from '../support/fixtures/test-config.ts';

const clock = createVirtualClock('2026-03-05T12:00Z');

/** The live file of a worker, in a folder of its own. */
function openFile(...accounts: string[]) {
  const path = join(temporaryFolder(), 'live.db');
  const db = openDatabase(path, clock.now());
  const file = { path, db };
  onTestFinished(() => void file.db.$client.close());
  db.$client.pragma('foreign_keys = off'); // rows of tests have no parents
  for (const account of accounts) fillAccount(db, account);
  return file;
}

type File = ReturnType<typeof openFile>;

/** A copy of the file as it is now. */
function copyOf({ path, db }: File, name = 'copy.db'): string {
  const copy = join(dirname(path), name);
  db.$client.exec(`vacuum into '${copy}'`);
  return copy;
}

/** Puts a copy in the place of the file, by hand. */
function putBack(file: File, copy: string): void {
  file.db.$client.close();
  for (const part of ['', '-wal', '-shm']) rmSync(file.path + part, { force: true });
  copyFileSync(copy, file.path);
  file.db = openDatabase(file.path, clock.now());
  file.db.$client.pragma('foreign_keys = off');
}

/** A config with these accounts: `new was old` renames one. */
function configOf({ path }: File, ...accounts: string[]) {
  const config = createTestConfig({ url: 'http://127.0.0.1:1' }, path);
  const [account] = config.accounts;
  if (account === undefined) throw new Error('the config has no account');
  const named = accounts
    .map((words) => words.split(' was '))
    .map(([name = '', was = null]) => ({ name, was }));
  return { ...config, publish: null, accounts: named.map((names) => ({ ...account, ...names })) };
}

const contextOf = (from: File, account = 'second') => ({
  ...{ config: configOf(from, 'main'), account, clock },
  ...{ signal: new AbortController().signal, formatCommand: commandsFor('one.yaml') },
});

const plan = (from: File, to: File, account?: string) => planMove(contextOf(from, account), from.db, to.path);

/** A move from its first question to its end. */
async function move(from: File, to: File, account?: string): Promise<void> {
  if (plan(from, to, account).doneAs === null) await makeMove(contextOf(from, account), from.db, to.path);
}

/** What a kill leaves after step 2: both files have all rows. */
function killAfterArrival(from: File, to: File): void {
  const asked = { account: 'second', from, to, instance: 'instance-1', now: clock.now() };
  arrive(asked, beginMove(asked));
}

const forget = (from: File) => forgetMove(contextOf(from), from.db, planForgetMove(contextOf(from), from.db));
const undo = (from: File) => takeBack(contextOf(from), from.db, planTakeBack(contextOf(from), from.db));

/** Opens the file with a config, as every command does that may rename. Returns the accounts of the file then. */
function openWith(file: File, ...accounts: string[]): string[] {
  const logger = createLogger({ level: 'silent', format: 'text', secrets: [], write: () => undefined });
  const environment = { clock, logger, progress: silentProgress, command: 'sync' };
  const warehouse = openConfiguredWarehouse(configOf(file, ...accounts), environment);
  try {
    return warehouse.listAccounts();
  } finally {
    warehouse.close();
  }
}

const refusalOf = (work: () => unknown): string => {
  const { message, hint = '' } = catchConfigError(work);
  return `${message}\n${hint}`;
};

const states = (...files: File[]) =>
  files.map(({ db }) =>
    db.$client.prepare(`select account || ' ' || state from account_move order by 1`).pluck().all(),
  );
const countVideos = ({ db }: { db: Db }, account: string) =>
  db.$client.prepare('select count(*) from video where account = ?').pluck().get(account);

describe('an account that was renamed in the other file before the move ended', () => {
  it('is known there by its move: nothing is copied again, and nothing is taken back', async () => {
    const [one, two] = [openFile('main', 'second'), openFile('third')];
    killAfterArrival(one, two);
    expect(openWith(two, 'third', 'zwei was second')).toEqual(['third', 'zwei']);
    expect(refusalOf(() => undo(one))).toMatch(/can only be finished\nvodhouse move second --to/);
    await move(one, two);
    expect(states(one, two)).toEqual([['second left'], ['zwei here']]);
    expect([countVideos(one, 'second'), countVideos(two, 'second'), countVideos(two, 'zwei')]).toEqual([
      0, 0, 3,
    ]);
  });

  it('takes the mark of its old name with it where it comes back', async () => {
    const [one, two] = [openFile('main', 'second'), openFile('third')];
    await move(one, two);
    openWith(two, 'third', 'zwei was second');
    await move(two, one, 'zwei');
    expect(states(one, two)).toEqual([['zwei here'], ['zwei left']]);
    expect(openWith(one, 'main', 'zwei was second')).toEqual(['main', 'zwei']);
  });
});

describe('a new name in the config', () => {
  it('does not get around the mark of an account that was moved away', async () => {
    const [one, two] = [openFile('main', 'second'), openFile('third')];
    await move(one, two);
    const refusal = refusalOf(() => openWith(one, 'main', 'zwei was second'));
    expect(refusal).toContain(`account zwei was second: account second was moved to ${two.path}`);
    expect(refusal).toContain('take zwei out of test');
    expect(states(one)).toEqual([['second left']]);
  });

  it('is not that of an account that was moved away, or is about to be', async () => {
    const [one, two] = [openFile('main', 'second'), openFile('third')];
    killAfterArrival(one, two);
    const refuse = () => refusalOf(() => openWith(one, 'second was main'));
    expect(refuse()).toContain('account main cannot become second: a move of account second');
    await move(one, two);
    expect(refuse()).toContain(`account main cannot become second: account second was moved to ${two.path}`);
    expect(refuse()).toContain('give main another name than second');
    expect(() => renameAccount(one.db, 'main', 'second')).toThrow('a move of account second stands');
    expect(() => renameAccount(one.db, 'second', 'main')).toThrow('a move of account second stands');
    expect([states(one), countVideos(one, 'main')]).toEqual([[['second left']], 3]);
    expect(openWith(one, 'first was main')).toEqual(['first']);
  });
});

describe('an account that neither file has: the other one was put back from before the move', () => {
  async function lose() {
    const [one, two] = [openFile('main', 'second'), openFile('third')];
    const old = copyOf(two);
    copyOf(one, 'live.db.before-move-20260305-120000');
    await move(one, two);
    const newest = copyOf(two, 'live.db.before-restore-20260305-130000');
    putBack(two, old);
    return { one, two, newest };
  }

  it('is said to be lost, with the copies that have it', async () => {
    const { one, two, newest } = await lose();
    for (const refusal of [refusalOf(() => plan(one, two)), refusalOf(() => undo(one))]) {
      expect(refusal).toContain('was replaced by one from before the move: it does not have the account');
      expect(refusal).toContain(`restore the copy that has it: vodhouse restore ${newest}`);
      expect(refusal).toContain(`before the move is in ${one.path}.before-move-20260305-120000`);
      expect(refusal).toContain('vodhouse move second --forget-move --config one.yaml');
    }
    putBack(two, newest);
    expect(plan(one, two).doneAs).toBe('second');
  });

  it('may be had again where the move is forgotten, also with its history by a move out of the copy', async () => {
    const { one, two } = await lose();
    expect(refusalOf(() => openWith(one, 'main', 'zwei was second'))).toContain('was moved to');
    forget(one);
    expect(states(one)).toEqual([[]]);
    const copy = openFile();
    putBack(copy, `${one.path}.before-move-20260305-120000`);
    await move(copy, one);
    expect([states(one), countVideos(one, 'second')]).toEqual([[['second here']], 3]);
    await move(one, two);
    expect(countVideos(two, 'second')).toBe(3);
  });

  it('is not forgotten while the other file has it, or knows where it went', async () => {
    const [one, two, three] = [openFile('main', 'second'), openFile('third'), openFile('fourth')];
    await move(one, two);
    expect(refusalOf(() => forget(one))).toContain(`move it back, with the config of ${two.path}`);
    await move(two, three);
    expect(refusalOf(() => forget(one))).toContain(`was moved on to ${three.path}`);
    expect(refusalOf(() => plan(one, two))).toContain(`and from there to ${three.path}`);
    expect(states(one)).toEqual([['second left']]);
    renameSync(two.path, `${two.path}.elsewhere`);
    expect(refusalOf(() => plan(one, two))).toContain('that file is not there: nothing was checked');
    forget(one);
    expect(states(one)).toEqual([[]]);
    expect(refusalOf(() => forget(one))).toContain('account second was not moved away');
  });
});

describe('a move that goes on', () => {
  it('goes into the file that it was begun to, and into no other', () => {
    const [one, two] = [openFile('main', 'second'), openFile('third')];
    killAfterArrival(one, two);
    const elsewhere = copyOf(two);
    two.db.$client.close();
    rmSync(two.path);
    expect(refusalOf(() => plan(one, two))).toMatch(
      /is not there: it may have the account already\nput the file/,
    );
    putBack(two, copyOf(openFile('fourth')));
    expect(refusalOf(() => plan(one, two))).toContain('another file is in its place now');
    putBack(two, elsewhere);
    expect(plan(one, two).resumed?.state).toBe('leaving');
  });

  it('does not bring an older copy into a file that gave the account away', async () => {
    const [one, two, three] = [openFile('main', 'second'), openFile('third'), openFile('fourth')];
    const old = copyOf(one);
    await move(one, two);
    await move(two, three);
    const known = copyOf(one, 'known.db');
    putBack(one, old);
    expect(refusalOf(() => plan(one, two))).toContain(`move the account from ${three.path}`);
    expect(states(two)).toEqual([['second left']]);
    putBack(one, known);
    await move(three, two);
    expect([states(two, three), countVideos(two, 'second')]).toEqual([[['second here'], ['second left']], 3]);
  });
});

it('refuses a correction in a file that the account is about to leave, where it would be lost', () => {
  const [one, two] = [openFile('main', 'second'), openFile('third')];
  killAfterArrival(one, two);
  const row = { date: '2026-03-10', storage: 1, traffic: 1, videos: 1 } as never;
  const correct = () => correctDay(one.db, { account: 'second', row, acceptedAt: clock.now(), reason: 'x' });
  expect(refusalOf(correct)).toContain(`account second is moved to ${two.path}: nothing was changed`);
});

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/database/connection.ts';
import { readFacts } from '../../support/fixtures/account-rows.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { readRows, readValue } from '../../support/fixtures/live-file.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';

vi.setConfig({ testTimeout: 90_000 });

const PACKAGES: Readonly<Record<string, string>> = { main: '101', second: '102, 103', third: '101' };

const configOf = (url: string, file: string, accounts: readonly string[]) =>
  [
    `warehouse: ${file}.db\ntimezone: Asia/Seoul\npublish: { file: ${file}.bi.db }\naccounts:`,
    ...accounts.map(
      (name) =>
        `  - name: ${name}\n    video_list: { base_url: '${url}', key: sandbox-key, page_size: 500 }\n    storage: { base_url: '${url}' }\n    packages: [${PACKAGES[name] ?? ''}]`,
    ),
  ].join('\n');

/** Two workers in one folder, by the configs one.yaml and two.yaml; the first has been synced, with `second` in it. */
async function openBoth({ isTwoThere = true, videos = 30 } = {}) {
  const packages = [101, 102, 103].map((id) => ({ id, videos: id === 102 ? videos : 20 }));
  const { url } = await startSandbox({ packages });
  const cwd = createFolder({ 'one.yaml': '', 'two.yaml': '' });
  const write = (file: string, accounts: readonly string[]) =>
    writeFileSync(join(cwd, `${file}.yaml`), configOf(url, file, accounts));
  write('one', ['main', 'second']);
  write('two', ['third']);
  const run = (file: string, ...words: string[]) => vodhouse([...words, '--config', `${file}.yaml`], { cwd });
  expect((await run('one', 'sync')).code).toBe(0);
  if (isTwoThere) expect((await run('two', 'sync')).code).toBe(0);
  const path = (file: string) => join(cwd, `${file}.db`);
  const facts = (file: string) => {
    const db = openDatabase(path(file), Date.now());
    try {
      return readFacts(db, 'second');
    } finally {
      db.$client.close();
    }
  };
  const state = (file: string) =>
    readValue(path(file), `select state from account_move where account = 'second'`);
  const countRequests = (file: string) =>
    Number(readValue(path(file), `select count(*) from request where account = 'second'`));
  return { cwd, url, write, run, path, facts, state, countRequests };
}

const MOVE = ['move', 'second', '--to', 'two.db', '--yes'];

describe('vodhouse move', () => {
  it('takes an account with everything that is known; the next sync asks what it would have asked', async () => {
    const { cwd, write, run, facts, state, countRequests } = await openBoth();
    const before = countRequests('one');
    expect((await run('one', 'sync')).code).toBe(0);
    const usual = countRequests('one') - before;
    const known = facts('one');
    const { code, stdout, stderr } = await run('one', ...MOVE);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/storage_day +\d+/);
    expect(stdout).toContain('1. take `- name: second` with its keys out of one.yaml');
    expect(stdout).toContain(
      'that config must have `duration_unit: ms` and `timezone: Asia/Seoul`, as this one',
    );
    expect(stdout).not.toContain('cannot be compared');
    expect(readdirSync(cwd).filter((name) => name.includes('before-move'))).toHaveLength(2);
    expect(facts('two')).toEqual(known);
    expect([state('one'), state('two'), countRequests('one')]).toEqual(['left', 'here', 0]);
    for (const command of ['sync', 'start', 'check']) {
      const refused = await run('one', command);
      expect([command, refused.code, refused.stdout]).toEqual([command, 2, '']);
      expect(refused.stderr).toContain(`account second was moved to ${join(cwd, 'two.db')}`);
      expect(refused.stderr).toContain('take second out of');
    }
    expect(countRequests('one')).toBe(0);
    expect((await run('one', ...MOVE)).stdout).toContain('is in two.db already');
    write('one', ['main']);
    write('two', ['third', 'second']);
    expect((await run('one', 'sync')).code).toBe(0);
    const sent = countRequests('two');
    expect((await run('two', 'sync')).code).toBe(0);
    expect(countRequests('two') - sent).toBe(usual);
    expect(readValue(join(cwd, 'two.bi.db'), `select count(*) from videos where account = 'second'`)).toBe(
      50,
    );
    expect((await run('two', 'move', 'second', '--to', 'one.db', '--yes', '--no-backup')).code).toBe(0);
    write('one', ['main', 'second']);
    expect((await run('one', 'sync')).code).toBe(0);
  });

  it('is finished by the same command after a kill at any moment, into a new file and back', async () => {
    const { cwd, run, path, facts, state } = await openBoth({ isTwoThere: false, videos: 4000 });
    const known = facts('one');
    let [from, to] = ['one', 'two'];
    for (const delayMs of [0, 3, 8, 15, 30]) {
      const words = [
        'move',
        'second',
        '--to',
        `${to}.db`,
        '--yes',
        '--no-backup',
        '--config',
        `${from}.yaml`,
      ];
      const moving = startVodhouse(words, { cwd });
      const progress = { hasEnded: false };
      void moving.ended.then(() => (progress.hasEnded = true));
      while (!progress.hasEnded && state(from) !== 'leaving') await sleep(1);
      await sleep(delayMs);
      moving.kill('SIGKILL');
      await moving.ended;
      const states = [state(from), readState(path(to))];
      expect([
        ['leaving', null],
        ['leaving', 'left'], // as the last move left it
        ['leaving', 'here'],
        ['left', 'here'],
      ]).toContainEqual(states);
      if (states[0] === 'leaving') {
        expect(withoutFailures(facts(from))).toEqual(withoutFailures(known));
        if (delayMs === 0) expect((await run(from, 'sync', '--package', 'second/102')).code).not.toBe(0);
      }
      expect((await run(from, ...words.slice(0, 6))).code).toBe(0);
      expect(withoutFailures(facts(to))).toEqual(withoutFailures(known));
      expect([state(from), state(to)]).toEqual(['left', 'here']);
      [from, to] = [to, from];
    }
  });

  it('waits for nobody: a worker on one of the files is named', async () => {
    const { cwd, run, state } = await openBoth();
    const worker = startVodhouse(['start', '--config', 'two.yaml'], { cwd });
    await eventually(() => worker.stderr()).toContain('next');
    const { code, stderr } = await run('one', ...MOVE);
    expect([code, state('one')]).toEqual([75, null]);
    expect(stderr).toContain(`pid ${worker.pid}`);
    expect(stderr).toContain('two.db: a worker is running');
  });

  it('is refused with what to type, or taken back; nothing is changed', async () => {
    const { cwd, run, state, path } = await openBoth();
    const files = () => readdirSync(cwd).filter((name) => !/-(wal|shm)$/.test(name));
    const before = files();
    for (const to of ['typo/two.db', 'two.bi.db', 'two.db'])
      expect([to, (await run('one', 'move', 'second', '--to', to)).code]).toEqual([
        to,
        to === 'two.bi.db' ? 1 : 2,
      ]);
    expect(files()).toEqual(before);
    writeFileSync(join(cwd, 'text.db'), 'not a database, but a text that is long enough');
    for (const [words, exit, text] of [
      [['move', 'secnd', '--to', 'two.db', '--yes'], 2, 'did you mean second?'],
      [['move', 'second', '--to', 'one.db', '--yes'], 2, 'is the warehouse of'],
      [['move', 'second', '--yes'], 2, 'one of --to FILE, --take-back and --forget-move'],
      [['move', 'second', '--to', 'two.db'], 2, 'stdin is not a terminal'],
      [['move', 'second', '--take-back'], 2, 'no move of account second is under way'],
      [['move', 'second', '--to', 'text.db', '--yes'], 1, 'text.db is not a SQLite file'],
      [['move', 'second', '--to', '/proc/none/two.db', '--yes'], 1, '/proc/none'],
    ] as const) {
      const { code, stderr } = await run('one', ...words);
      expect([words, code, state('one')]).toEqual([words, exit, null]);
      expect(stderr).toContain(text);
    }
    const db = openDatabase(path('two'), Date.now());
    db.$client.exec(
      `create trigger full before insert on walk when new.account = 'second' begin select raise(abort, 'database or disk is full'); end`,
    );
    const full = await run('one', ...MOVE, '--no-backup');
    expect(full.code).toBe(1);
    expect(full.stderr).toMatch(/disk is full.*not finished, and nothing is lost/);
    const back = 'vodhouse move second --take-back --config one.yaml';
    expect(full.stderr).toContain(back);
    const sync = await run('one', 'sync');
    expect([sync.code, sync.stdout.includes('was broken off')]).toEqual([3, true]);
    const status = await run('one', 'status');
    expect([status.code, status.stdout.includes(back)]).toEqual([3, true]);
    expect((await run('one', 'move', 'second', '--to', 'three.db', '--yes')).stderr).toContain(back);
    db.$client.exec('drop trigger full');
    db.$client.close();
    expect((await run('one', 'move', 'second', '--take-back', '--yes')).code).toBe(0);
    expect((await run('one', 'sync')).code).toBe(0);
    expect(readRows(path('one'), 'select * from account_move')).toEqual([]);
  });
});

/** Null for a file that is not there, or not a complete one. */
function readState(path: string) {
  try {
    return readValue(path, `select state from account_move where account = 'second'`);
  } catch {
    return null;
  }
}

/** A sync in between notes that it left the account out. */
const withoutFailures = (facts: Record<string, unknown[]>) => ({ ...facts, run_failure: [] });

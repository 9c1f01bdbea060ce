import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { commandFolder, sandboxFolder } from '../../support/fixtures/command-folder.ts';
import { configText } from '../../support/fixtures/config-file.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';

vi.setConfig({ testTimeout: 60_000 });

const RETIRED = 'select count(*) from package where retired_at is not null';
const REQUESTS = 'select count(*) from request';
const VIDEOS = 'select count(*) from video';
const ACCOUNTS = 'select distinct account from request union select account from package';

/** A folder after a sync of three packages. */
async function syncedFolder() {
  const folder = await sandboxFolder({ packages: [101, 102, 103], top: 'publish: {}' });
  await folder.succeed('sync');
  return folder;
}

const renamed = (text: string) => text.replace('name: main', 'name: news\n    was: main');

describe('a config that lost its packages', () => {
  it('is refused by sync and start, which send and retire nothing; check ends with 2, plan warns', async () => {
    const { text, write, run, json, succeed, value } = await syncedFolder();
    const requests = value(REQUESTS);
    const reason = 'the config no longer names all packages of main';
    write(text.replace('packages: [101, 102, 103]', 'packages: []'));
    for (const command of ['sync', 'start']) {
      const { code, stderr, stdout } = await run(command);
      expect([command, code, stdout]).toEqual([command, 2, '']);
      expect(stderr).toContain(`${reason}; nothing was sent or changed`);
      expect(stderr).toContain('  left the config: main/101, 250 videos\n');
      expect(stderr).toContain('vodhouse sync --accept-retirements');
    }
    expect([value(REQUESTS), value(RETIRED)]).toEqual([requests, 0]);
    for (const [command, exit] of [
      ['check', 2],
      ['plan', 0],
    ] as const) {
      const { code, stdout, stderr } = await run(command);
      expect([command, code]).toEqual([command, exit]);
      expect(stdout).not.toContain(': ok');
      expect(stderr).toContain('left the config: main/101, 250 videos');
      expect(stderr).toContain('account main has no packages');
    }
    expect((await run('check')).stdout).toMatch(/REFUSED .*\n {2}-> .*sync --accept-retirements/);
    expect(await json('check')).toMatchObject({ refused: reason });
    await succeed('sync', '--accept-retirements');
    expect(await succeed('check')).toContain(': ok, ');
    expect(value(RETIRED)).toBe(3);
  });

  it('renames an account that has `was`, once, without reading a video again', async () => {
    const { text, write, run, rows } = await syncedFolder();
    write(text.replace('name: main', 'name: news'));
    expect((await run('sync')).code).toBe(2);
    write(renamed(text));
    const first = await run('sync', '--verbose');
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('account main is news from now on');
    expect(first.stdout).toMatch(/^news\/101 +succeeded .* 250 /m);
    expect(rows(ACCOUNTS)).toEqual([{ account: 'news' }]);
    const again = await run('sync');
    expect([again.code, again.stderr.includes('from now on')]).toEqual([0, false]);
  });
});

describe('an account with a new name', () => {
  it('is left to a running worker, which renames it when it reads the config again', async () => {
    const { text, write, run, start, succeed, rows, value } = await syncedFolder();
    const worker = start('start');
    await expect.poll(worker.stderr).toContain('next full run at');
    const requests = value(REQUESTS);
    write(renamed(text));
    for (const words of [['sync'], ['sync', '--wait']]) {
      const { code, stderr, stdout } = await run(...words);
      expect([code, stdout]).toEqual([75, '']);
      expect(stderr).toMatch(/a worker, pid \d+ on .* serves account main; nothing was renamed or sent/);
      expect(stderr).toMatch(/kill -HUP \d+$/m);
    }
    expect([rows(ACCOUNTS), value(REQUESTS)]).toEqual([[{ account: 'main' }], requests]);
    worker.kill('SIGHUP');
    await expect.poll(worker.stderr).toContain('account main is news from now on');
    await expect.poll(() => rows(ACCOUNTS)).toEqual([{ account: 'news' }]);
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    await succeed('sync');
  });
});

describe('forget', () => {
  it('deletes a retired package after a backup, and the published file follows', async () => {
    const { cwd, text, write, run, succeed, value } = await syncedFolder();
    const expectRefusal = async (message: RegExp, ...words: string[]) => {
      const { code, stderr, stdout } = await run('forget', ...words);
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
      return stdout;
    };
    await expectRefusal(/main\/101 is in the config/, 'main/101', '--yes');
    write(text.replace('[101, 102, 103]', '[102, 103]'));
    await expectRefusal(
      /main\/101 is not retired yet[^]*-> the next run retires it: vodhouse sync$/m,
      'main/101',
      '--yes',
    );
    await succeed('sync', '--accept-retirements'); // it has most of the videos
    await expectRefusal(/did you mean main\?/, 'mainn', '--yes', '--no-backup');
    const preview = await expectRefusal(/forget main\/101 --yes does not ask/, 'main/101');
    expect(preview).toMatch(/^video +250$/m);
    expect(value(VIDEOS)).toBe(280);

    const done = await succeed('forget', 'main/101', '--yes');
    expect(done).toMatch(/^deleted main\/101\npublished .*: 30 videos/m);
    expect(value(VIDEOS)).toBe(30);
    const [backup = ''] = readdirSync(join(cwd, 'data')).filter((name) => name.includes('.before-forget-'));
    await succeed('restore', join('data', backup));
    expect(value(VIDEOS)).toBe(280);
  });
});

it('packages of a CSV file: what sync, check, plan and status say and do', async () => {
  const { url } = await startSandbox();
  const text = configText({ url, storage: false }).replace('[101]', '{ file: packages.csv }');
  const csv = 'id;name\r\n101;First\r\n102;"Second; part"\r\n';
  const { run, succeed, write, value } = commandFolder(text, { 'packages.csv': csv });
  expect(await succeed('sync')).toContain('Second; part');
  await succeed('sync', '--package', '102');
  expect(await succeed('check', '--all')).toMatch(/package 102 +ok/);

  const before = value(REQUESTS);
  write('id;name\r\n101;First\r\n10x;', 'packages.csv');
  const problem = 'packages.csv, line 3: id: "10x" is not valid';
  for (const command of ['sync', 'check', 'plan', 'start']) {
    const { code, stderr } = await run(command);
    expect([command, code]).toEqual([command, 2]);
    expect(stderr).toContain(`accounts[0].packages.file: ${problem}`);
  }
  const status = await run('status');
  expect(status.code).toBe(3);
  expect(status.stdout).toContain(problem);
  expect(status.stdout).toMatch(/main\/102 +Second; part +30 /);

  write('103\n', 'packages.csv');
  expect([(await run('sync')).code, value(REQUESTS)]).toEqual([2, before]);
});

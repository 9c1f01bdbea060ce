import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText, WAREHOUSE } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { readWarehouseRows, readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 60_000 });

const RETIRED = 'select count(*) from package where retired_at is not null';
const REQUESTS = 'select count(*) from request';

/** A folder after a sync of three packages, and a way to change its config. */
async function syncedFolder() {
  const { url } = await startSandbox();
  const text = configText({ url, packages: [101, 102, 103], top: 'publish: {}' });
  const cwd = createFolder({ [CONFIG]: text });
  expect((await vodhouse(['sync'], { cwd })).code).toBe(0);
  const write = (change: (text: string) => string) => writeFileSync(join(cwd, CONFIG), change(text));
  const vodhouseHere = (...args: string[]) => vodhouse(args, { cwd });
  return { cwd, write, vodhouseHere };
}

const renaming = (text: string) => text.replace('name: main', 'name: news\n    was: main');
const ACCOUNTS = 'select distinct account from request union select account from package';
const without = (text: string) => text.replace('packages: [101, 102, 103]', 'packages: []');

describe('a config that lost its packages', () => {
  it('is refused by sync and start, which send and retire nothing; check ends with 2, plan warns', async () => {
    const { cwd, write, vodhouseHere } = await syncedFolder();
    const requests = readWarehouseValue(cwd, REQUESTS);
    write(without);
    for (const command of ['sync', 'start']) {
      const { code, stderr, stdout } = await vodhouseHere(command);
      expect([command, code, stdout]).toEqual([command, 2, '']);
      expect(stderr).toContain(
        'the config no longer names all packages of main; nothing was sent or changed',
      );
      expect(stderr).toContain('  left the config: main/101, 250 videos\n');
      expect(stderr).toContain('vodhouse sync --accept-retirements');
    }
    expect([readWarehouseValue(cwd, REQUESTS), readWarehouseValue(cwd, RETIRED)]).toEqual([requests, 0]);
    for (const [command, exit] of [
      ['check', 2],
      ['plan', 0],
    ] as const) {
      const { code, stdout, stderr } = await vodhouseHere(command);
      expect([command, code]).toEqual([command, exit]);
      expect(stdout).not.toContain(': ok');
      expect(stderr).toContain('left the config: main/101, 250 videos');
      expect(stderr).toContain('sync and start refuse this');
      expect(stderr).toContain('account main has no packages');
    }
    const checked = await vodhouseHere('check');
    expect(checked.stdout).toMatch(
      /REFUSED by sync and start: the config no longer names all packages of main\n {2}-> put them back .*sync --accept-retirements/,
    );
    const json = JSON.parse((await vodhouseHere('check', '--json')).stdout) as unknown;
    expect(json).toMatchObject({ refused: 'the config no longer names all packages of main' });
    expect((await vodhouseHere('sync', '--accept-retirements')).code).toBe(0);
    expect(await vodhouseHere('check')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(': ok, ') as string,
    });
    expect(readWarehouseValue(cwd, RETIRED)).toBe(3);
  });

  it('renames an account that has `was`, once, without reading a video again', async () => {
    const { cwd, write, vodhouseHere } = await syncedFolder();
    write((text) => text.replace('name: main', 'name: news'));
    expect((await vodhouseHere('sync')).code).toBe(2);
    write(renaming);
    const renamed = await vodhouseHere('sync', '--verbose');
    expect(renamed.code).toBe(0);
    expect(renamed.stderr).toContain('account main is news from now on');
    expect(renamed.stdout).toMatch(/^news\/101 +succeeded .* 250 /m);
    expect(readWarehouseRows(cwd, ACCOUNTS)).toEqual([{ account: 'news' }]);
    const again = await vodhouseHere('sync');
    expect([again.code, again.stderr.includes('from now on')]).toEqual([0, false]);
  });
});

describe('an account with a new name', () => {
  it('is left to a running worker, which renames it when it reads the config again', async () => {
    const { cwd, write, vodhouseHere } = await syncedFolder();
    const worker = startVodhouse(['start'], { cwd });
    await eventually(() => worker.stderr() + worker.stdout()).toContain('next full run at');
    const requests = readWarehouseValue(cwd, REQUESTS);
    write(renaming);
    for (const command of ['sync', 'sync --wait']) {
      const { code, stderr, stdout } = await vodhouseHere(...command.split(' '));
      expect([command, code, stdout]).toEqual([command, 75, '']);
      expect(stderr).toMatch(/a worker, pid \d+ on .* serves account main; nothing was renamed or sent/);
      expect(stderr).toMatch(/it renames main to news when it reads the config again: kill -HUP \d+$/m);
    }
    expect(readWarehouseRows(cwd, ACCOUNTS)).toEqual([{ account: 'main' }]);
    expect(readWarehouseValue(cwd, REQUESTS)).toBe(requests);
    worker.kill('SIGHUP');
    await eventually(() => worker.stderr()).toContain('account main is news from now on');
    await eventually(() => readWarehouseRows(cwd, ACCOUNTS)).toEqual([{ account: 'news' }]);
    worker.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    expect((await vodhouseHere('sync')).code).toBe(0);
  });
});

describe('forget', () => {
  it('deletes a retired package after a backup, and the published file follows', async () => {
    const { cwd, write, vodhouseHere } = await syncedFolder();
    const early = await vodhouseHere('forget', 'main/101', '--yes');
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('main/101 is in the config')]);
    write((text) => text.replace('[101, 102, 103]', '[102, 103]'));
    const active = await vodhouseHere('forget', 'main/101', '--yes');
    expect([active.code, active.stderr]).toEqual([2, expect.stringContaining('main/101 is not retired yet')]);
    expect(active.stderr).toMatch(/-> the next run retires it: vodhouse sync$/m);
    expect((await vodhouseHere('sync')).code).toBe(0);

    const preview = await vodhouseHere('forget', 'main/101');
    expect([preview.code, preview.stderr]).toEqual([
      2,
      expect.stringContaining('forget main/101 --yes does not ask'),
    ]);
    expect(preview.stdout).toMatch(/^video +250$/m);
    expect(readWarehouseValue(cwd, 'select count(*) from video')).toBe(280);

    const done = await vodhouseHere('forget', 'main/101', '--yes');
    expect([done.code, done.stdout]).toEqual([
      0,
      expect.stringMatching(/^deleted main\/101\npublished .*: 30 videos/m),
    ]);
    expect(readWarehouseValue(cwd, 'select count(*) from video')).toBe(30);
    const [backup = ''] = readdirSync(join(cwd, 'data')).filter((name) => name.includes('.before-forget-'));
    expect((await vodhouseHere('restore', join('data', backup))).code).toBe(0);
    expect(readWarehouseValue(cwd, 'select count(*) from video')).toBe(280);
    const unknown = await vodhouseHere('forget', 'mainn', '--yes', '--no-backup');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('did you mean main?')]);
  });
});

describe('the demo', () => {
  it('opens no other file, and its own file is for no other config', async () => {
    const { cwd, write, vodhouseHere } = await syncedFolder();
    expect((await vodhouseHere('demo', '--once', '--file', WAREHOUSE)).code).toBe(2);
    expect(readWarehouseValue(cwd, 'select count(*) from package')).toBe(3);
    expect((await vodhouseHere('demo', '--once', '--file', 'demo/demo.db')).code).toBe(0);
    write((text) => text.replace(`warehouse: ${WAREHOUSE}`, 'warehouse: demo/demo.db'));
    const { code, stderr } = await vodhouseHere('sync');
    expect([code, stderr]).toEqual([2, expect.stringContaining('is the file of vodhouse demo')]);
  });
});

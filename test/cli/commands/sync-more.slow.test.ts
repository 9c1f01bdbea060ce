import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText, type ConfigOptions } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';
import { readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';

vi.setConfig({ testTimeout: 60_000 });

const COUNT = 'select count(*) from video where removed_at is null';

function folderWith(options: ConfigOptions): string {
  return createFolder({ [CONFIG]: configText(options) });
}

describe('sync', () => {
  it('--quick reads only new and removed videos, and prints what it did not find', async () => {
    const { url, sandbox } = await startSandbox({
      packages: [
        { id: 101, videos: 400 },
        { id: 102, videos: 30 },
      ],
    });
    const cwd = folderWith({ url, packages: [101, 102], pageSize: 50, storage: false });
    await vodhouse(['sync'], { cwd });
    const still = await vodhouse(['sync', '--quick'], { cwd });
    expect(still.stdout).toContain('no package had anything new\n');
    sandbox.churn(20);
    const changed = await vodhouse(['sync', '--quick', '--package', '101'], { cwd });
    expect(changed.code).toBe(0);
    expect(changed.stdout).toMatch(/^main\/101 +succeeded/m);
    const saved = await vodhouse(['status'], { cwd });
    expect(saved.stdout).toMatch(/^main .* [1-9]\d* +\d+$/m);
  });

  it('reads only the requested videos, storage or packages', async () => {
    const { url } = await startSandbox();
    const cwd = folderWith({ url, packages: [101, 102, 103] });
    const storage = await vodhouse(['sync', '--storage'], { cwd });
    expect([storage.code, readWarehouseValue(cwd, COUNT)]).toEqual([0, 0]);
    const one = await vodhouse(['sync', '--package', '102'], { cwd });
    expect(one.stdout).toContain('packages 102, videos only');
    expect([one.code, readWarehouseValue(cwd, COUNT)]).toEqual([0, 30]);
    const both = await vodhouse(['sync', '--package', '101,103', '--package', '102'], { cwd });
    expect([both.code, readWarehouseValue(cwd, COUNT)]).toEqual([0, 280]);
  });

  it('ends with 1 where the key is wrong, without printing the key', async () => {
    const { url } = await startSandbox();
    const cwd = folderWith({ url, packages: [101, 102], key: 'wrong-key', storage: false });
    const { code, stdout, stderr } = await vodhouse(['sync'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('main/101 (refused): page 1: the service refused: errorCode InvalidKey');
    expect(stdout).toMatch(/^run 1: failed [^]*, 4 requests$/m);
    expect(stdout + stderr).not.toContain('wrong-key');
  });

  it('stops requests for the packages of a wrong key after three of them', async () => {
    const { url } = await startSandbox();
    const packages = Array.from({ length: 40 }, (_, index) => 500 + index);
    const cwd = folderWith({ url, packages, key: 'wrong-key', storage: false, concurrency: 1 });
    const { code, stdout } = await vodhouse(['sync'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain(
      '37 packages were not requested in this run: the same refusal (InvalidKey) from 3 packages in a row',
    );
    expect(stdout).toContain('-> run vodhouse check to see what works');
    expect(readWarehouseValue(cwd, 'select count(*) from request')).toBe(6);
  });

  it('ends with 3 where one package of several is unknown, and stores the others', async () => {
    const { url } = await startSandbox();
    const cwd = folderWith({ url, packages: [101, 999, 102] });
    const { code, stdout } = await vodhouse(['sync'], { cwd });
    expect(code).toBe(3);
    expect(stdout).toMatch(/^run 1: partial /);
    expect(stdout).toMatch(/^ {2}- main\/999 .*there is no package 999/m);
    expect(readWarehouseValue(cwd, COUNT)).toBe(280);
    expect(readWarehouseValue(cwd, 'select status from run')).toBe('partial');
  });

  it('ends with 1 and a clear message where the service is down', async () => {
    const { url, close } = await startScriptedService(() => 'drop');
    await close();
    const cwd = folderWith({ url, storage: false });
    const { code, stdout, stderr } = await vodhouse(['sync'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain(`page 1: no connection (connect ECONNREFUSED ${new URL(url).host})`);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(readWarehouseValue(cwd, 'select count(*) from request')).toBe(5);
  });
});

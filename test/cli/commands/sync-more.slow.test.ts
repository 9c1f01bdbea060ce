import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText, type ConfigOptions } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
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
});

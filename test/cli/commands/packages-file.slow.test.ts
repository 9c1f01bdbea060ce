import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 60_000 });

it('packages of a CSV file: what sync, check, plan and status say and do', async () => {
  const { url } = await startSandbox();
  const text = configText({ url, storage: false }).replace('[101]', '{ file: packages.csv }');
  const cwd = createFolder({
    [CONFIG]: text,
    'packages.csv': 'id;name\r\n101;First\r\n102;"Second; part"\r\n',
  });
  const run = (...args: string[]) => vodhouse(args, { cwd });
  const write = (csv: string) => writeFileSync(join(cwd, 'packages.csv'), csv);

  expect((await run('sync')).stdout).toContain('Second; part');
  expect((await run('sync', '--package', '102')).code).toBe(0);
  expect((await run('check', '--all')).stdout).toMatch(/package 102 +ok/);

  const requests = () => readWarehouseValue(cwd, 'select count(*) from request');
  const before = requests();
  write('id;name\r\n101;First\r\n10x;');
  const problem =
    'packages.csv, line 3: id: "10x" is not valid; expected a package id (a whole number from 1 up)';
  for (const command of ['sync', 'check', 'plan', 'start']) {
    const { code, stderr } = await run(command);
    expect([command, code]).toEqual([command, 2]);
    expect(stderr).toContain(`accounts[0].packages.file: ${problem}`);
  }
  const status = await run('status');
  expect(status.code).toBe(3);
  expect(status.stdout).toContain(`the packages of main cannot be read`);
  expect(status.stdout).toContain(problem);
  expect(status.stdout).toMatch(/main\/102 +Second; part +30 /);

  write('103\n');
  const refused = await run('sync');
  expect([refused.code, requests()]).toEqual([2, before]);
  expect(refused.stderr).toContain('the config no longer names all packages of main');
});

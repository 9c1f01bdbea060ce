import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { serveEverything } from '../../support/fixtures/service-responses.ts';
import { eventually, startVodhouse, vodhouse } from '../../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 60_000 });

describe('check', () => {
  it('requests one package and the storage of yesterday, and ends with 0', async () => {
    const { url } = await startSandbox();
    const cwd = createFolder({ [CONFIG]: configText({ url, packages: [101, 102, 103] }) });
    const { code, stdout, stderr } = await vodhouse(['check'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('vodhouse.yaml: ok, 1 account\n');
    expect(stdout).toMatch(/^main +package 101 +ok +250 videos$/m);
    expect(stdout).toMatch(/^main +storage of \d{4}-\d\d-\d\d +ok +answers with figures of that day$/m);
    expect(stdout).not.toContain('102');
  });

  it('requests every package with --all, and ends with 3 where one is unknown', async () => {
    const { url } = await startSandbox();
    const cwd = createFolder({ [CONFIG]: configText({ url, packages: [101, 999, 103] }) });
    const { code, stdout } = await vodhouse(['check', '--all'], { cwd });
    expect(code).toBe(3);
    expect(stdout).toMatch(/package 101 +ok +250 videos/);
    expect(stdout).toMatch(/package 103 +ok +0 videos/);
    expect(stdout).toMatch(/package 999 +FAILED .*PackageNotFound/);
    expect(stdout).toMatch(/-> .*package 999.*check the key and the package/);
  });

  it('ends with 1 where the key is wrong for everything', async () => {
    const { url } = await startSandbox({ storageAuth: 'query' });
    const config = configText({ url, key: 'wrong-key' }).replace('storage: {', 'storage: { auth: query,');
    const { code, stdout, stderr } = await vodhouse(['check'], { cwd: createFolder({ [CONFIG]: config }) });
    expect(code).toBe(1);
    expect(stdout).toContain('InvalidKey');
    expect(stdout).toContain('key is missing or unknown');
    expect(`${stdout}${stderr}`).not.toContain('wrong-key');
  });

  it('gives one JSON document with --json', async () => {
    const { url } = await startSandbox();
    const cwd = createFolder({ [CONFIG]: configText({ url, packages: [999] }) });
    const { code, stdout } = await vodhouse(['check', '--json'], { cwd });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      findings: [
        {
          account: 'main',
          asked: 'package 999',
          ok: false,
          hint: 'check the key and the package in the config',
        },
        { account: 'main', ok: true, result: 'answers with figures of that day', hint: null },
      ],
    });
  });

  it('ends soon, and names the address, where no service answers', async () => {
    const url = 'http://127.0.0.1:9'; // the discard port: nothing listens
    const text = configText({ url, packages: [101, 102] });
    const cwd = createFolder({ [CONFIG]: text });
    const { code, stdout } = await vodhouse(['check', '--all', '--json'], { cwd });
    const { findings } = JSON.parse(stdout) as { findings: Record<string, unknown>[] };
    const hint = 'check base_url in the config, and the network';
    expect(code).toBe(1);
    expect(findings).toMatchObject([
      { asked: 'package 101', ok: false, hint },
      { asked: expect.stringMatching(/^storage of /) as string, ok: false, hint },
    ]);
    expect(readWarehouseValue(cwd, 'select count(*) from request')).toBe(2); // one attempt each
  });

  it('ends with 130 at SIGINT', async () => {
    const script = serveEverything(() => ({ status: 503, headers: { 'retry-after': '60' } }));
    const { url, requests } = await startScriptedService(script);
    const command = startVodhouse(['check'], { cwd: createFolder({ [CONFIG]: configText({ url }) }) });
    await eventually(() => requests.length).toBe(2); // a package, and the storage
    command.kill('SIGINT');
    const { code, stdout, stderr } = await command.ended;
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toContain('stopped by SIGINT');
  });
});

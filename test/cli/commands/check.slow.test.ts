import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../../support/fixtures/config-file.ts';
import { createFolder } from '../../support/fixtures/folder-of-files.ts';
import { AUTHORITY, SIGNED } from '../../support/fixtures/self-signed.ts';
import { startProxy } from '../../support/servers/proxy-server.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { readWarehouseValue } from '../../support/fixtures/warehouse-rows.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { SECRET_PATH, startWebhook } from '../../support/servers/webhook.ts';
import { listBody, serveEverything, videoRecord } from '../../support/fixtures/service-responses.ts';
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

  it('warns of a .env that other users can read', async () => {
    const { url } = await startSandbox();
    const cwd = createFolder({ [CONFIG]: configText({ url, storage: false }), '.env': 'KEY=k\n' });
    const warned = async (mode: number) => {
      chmodSync(join(cwd, '.env'), mode);
      const { code, stderr } = await vodhouse(['check'], { cwd });
      return [code, stderr.includes(`chmod 600 ${join(cwd, '.env')}`)];
    };
    expect([await warned(0o640), await warned(0o604), await warned(0o600)]).toEqual([
      [0, true],
      [0, true],
      [0, false],
    ]);
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

  it('ends soon, and names the address, where no service answers', async () => {
    const url = 'http://127.0.0.1:9'; // the discard port: nothing listens
    const text = configText({ url, packages: [101, 102] });
    const cwd = createFolder({ [CONFIG]: text });
    const { code, stdout } = await vodhouse(['check', '--all', '--json'], { cwd });
    const { findings } = JSON.parse(stdout) as { findings: Record<string, unknown>[] };
    const hint = expect.stringContaining('base_url') as string;
    expect(code).toBe(1);
    expect(findings).toMatchObject([
      { asked: 'package 101', ok: false, hint },
      { asked: expect.stringMatching(/^storage of /) as string, ok: false, hint },
    ]);
    expect(readWarehouseValue(cwd, 'select count(*) from request')).toBe(2); // one attempt each
  });

  it('calls the service by the proxy of the environment, or of the account', async () => {
    const { url } = await startSandbox();
    const proxy = await startProxy({ login: 'me:pass-word' });
    const address = proxy.url.replace('://', '://me:${WORD}@');
    const cwd = createFolder({
      [CONFIG]: configText({ url }),
      'own.yaml': configText({ url }).replace('    packages:', `    proxy: ${address}\n    packages:`),
      'none.yaml': configText({ url }).replace('    packages:', '    proxy: none\n    packages:'),
    });
    const env = { HTTP_PROXY: address.replace('${WORD}', 'pass-word') };
    expect(await vodhouse(['check'], { cwd, env })).toMatchObject({ code: 0, stderr: '' });
    expect(proxy.requests).toHaveLength(2);
    const own = ['--config', 'own.yaml'];
    expect(await vodhouse(['check', ...own], { cwd, env: { WORD: 'pass-word' } })).toMatchObject({ code: 0 });
    expect(proxy.requests).toHaveLength(4);
    const none = { NO_PROXY: '127.0.0.1', ...env };
    expect(await vodhouse(['check'], { cwd, env: none })).toMatchObject({ code: 0 });
    expect(await vodhouse(['check', '--config', 'none.yaml'], { cwd, env })).toMatchObject({ code: 0 });
    expect(proxy.requests).toHaveLength(4);
    const wrong = await vodhouse(['check', ...own, '--log-level', 'debug'], {
      cwd,
      env: { WORD: 'guess-word' },
    });
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/407[^]*`proxy`/);
    expect(wrong.stdout + wrong.stderr).not.toContain('guess-word');
  });

  it('trusts a service by the certificate of its authority', async () => {
    const script = serveEverything(() => ({ body: listBody({ records: [videoRecord(1)] }) }));
    const { url } = await startScriptedService(script, SIGNED);
    const text = configText({ url, storage: false });
    const own = text.replace('    packages:', '    ca: own.pem\n    packages:');
    const cwd = createFolder({ [CONFIG]: text, 'own.yaml': own, 'own.pem': AUTHORITY });
    const without = await vodhouse(['check'], { cwd });
    expect(without.code).toBe(1);
    expect(without.stdout).toContain('`ca` of the account');
    const { code, stdout } = await vodhouse(['check', '--config', 'own.yaml'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/package 101 +ok +1 video$/m);
  });

  it.each([
    [204, 0, null],
    [404, 3, 'it answered 404'],
  ])('sends a test message with --notify: %i', async (status, expected, error) => {
    const { url } = await startSandbox();
    const webhook = await startWebhook();
    webhook.answer(status);
    const top = 'notify: { webhook: "${HOOK}", events: [] }';
    const cwd = createFolder({ [CONFIG]: configText({ url, top }) });
    const env = { HOOK: webhook.url };
    const { code, stdout } = await vodhouse(['check', '--notify', '--json'], { cwd, env });
    expect(code).toBe(expected);
    expect(JSON.parse(stdout)).toMatchObject({ webhook: { host: webhook.host, error } });
    const [call] = webhook.calls;
    const message = { event: 'test', state: 'begun', account: null, package_id: null, details: {} };
    expect(JSON.parse(call?.body ?? '')).toMatchObject(message);
    const text = await vodhouse(['check', '--notify'], { cwd, env });
    expect(text.stdout).toContain(webhook.host);
    expect(text.stdout).not.toContain(SECRET_PATH);
  });

  it('ends with 2 for --notify without a webhook, and sends nothing', async () => {
    const { url, requests } = await startScriptedService(() => 'drop');
    const cwd = createFolder({ [CONFIG]: configText({ url }) });
    expect((await vodhouse(['check', '--notify'], { cwd })).code).toBe(2);
    expect(requests).toHaveLength(0);
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

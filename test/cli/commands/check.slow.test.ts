import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  commandFolder,
  NOWHERE,
  sandboxFolder,
  serviceFolder,
} from '../../support/fixtures/command-folder.ts';
import { configText } from '../../support/fixtures/config-file.ts';
import { AUTHORITY, SIGNED } from '../../support/fixtures/self-signed.ts';
import { listBody, serveEverything, videoRecord } from '../../support/fixtures/service-responses.ts';
import { vodhouse } from '../../support/processes/vodhouse-command.ts';
import { startProxy } from '../../support/servers/proxy-server.ts';
import { startSandbox } from '../../support/servers/sandbox-account.ts';
import { startScriptedService } from '../../support/servers/scripted-service.ts';
import { SECRET_PATH, startWebhook } from '../../support/servers/webhook.ts';

vi.setConfig({ testTimeout: 60_000 });

/** The config with a line more in its account. */
const withLine = (text: string, line: string) => text.replace('    packages:', `    ${line}\n    packages:`);

const listed = Array.from({ length: 30 }, (_, index) => ({ id: 101 + index, videos: 1 }));

describe('check', () => {
  it('requests each package and the storage of yesterday, and ends with 0', async () => {
    const { run } = await sandboxFolder({ packages: [101, 102, 103] });
    const { code, stdout, stderr } = await run('check');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('vodhouse.yaml: ok, 1 account\n');
    expect(stdout).toMatch(/^main +package 101 +ok +250 videos$/m);
    expect(stdout).toMatch(/^main +storage of \d{4}-\d\d-\d\d +ok +answers with figures of that day$/m);
    expect(stdout).toMatch(/^main +package 103 +ok +0 videos$/m);
    expect(stdout).not.toContain('asked');
  });

  it.each([
    ['the first 20', listed.map(({ id }) => id), 20, 0],
    ['those to the first that fails', [101, 999, 103], 2, 3],
  ])('requests %s, and prints how many', async (_which, packages, asked, code) => {
    const { run } = await sandboxFolder({ packages }, { packages: listed });
    const checked = await run('check');
    expect(checked.code).toBe(code);
    expect(checked.stdout).toContain(
      `  ${asked} of ${packages.length} packages asked; vodhouse check --all asks each\n`,
    );
  });

  it('shows where the files are, their age and the room on their disks', async () => {
    const backup = 'backup: { schedule: "30 2 * * *" }';
    const { run } = await sandboxFolder({ top: `publish: {}\n${backup}`, packages: [101] });
    expect((await run('check')).stdout).toMatch(
      /^live file +data\/vodhouse\.db +ok +[\d.]+ kB, last full run: never, /m,
    );
    await run('sync');
    const { code, stdout } = await run('check');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^live file +data\/vodhouse\.db +ok +[\d.]+ [kM]B, last full run: just now, [\d.]+ GB free on its disk$/m,
    );
    expect(stdout).toMatch(
      /^published file +published\/\S+ +ok +[\d.]+ [kM]B, published: just now, [\d.]+ GB free/m,
    );
    expect(stdout).toMatch(/^backups +data\/backups +ok +last one: never, [\d.]+ GB free/m);
  });

  it('ends with 3 where the folder of a file is missing, and makes none', async () => {
    const top = 'publish: { file: disk/bi.db }\nbackup: { schedule: "30 2 * * *", folder: disk/backups }';
    const { cwd, run } = await sandboxFolder({ top, packages: [101] });
    const { code, stdout } = await run('check');
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /^published file +disk\/bi\.db +FAILED +publish\.file: the folder \S+ does not exist/m,
    );
    expect(stdout).toMatch(/^backups +disk\/backups +FAILED +backup\.folder: the folder \S+ does not exist/m);
    expect(stdout).toContain(`mkdir -p ${join(cwd, 'disk/backups')}`);
    expect(existsSync(join(cwd, 'disk'))).toBe(false);
  });

  it.each([
    [0o640, true],
    [0o604, true],
    [0o600, false],
  ])('warns of a .env that other users can read: %i', async (mode, isWarned) => {
    const { url } = await startSandbox();
    const { cwd, run } = commandFolder({ url, storage: false }, { '.env': 'KEY=a-key\n' });
    chmodSync(join(cwd, '.env'), mode);
    const { code, stderr } = await run('check');
    expect([code, stderr.includes(`chmod 600 ${join(cwd, '.env')}`)]).toEqual([0, isWarned]);
  });

  it('requests every package with --all, and ends with 3 where one is unknown', async () => {
    const { run } = await sandboxFolder({ packages: [101, 999, 103] });
    const { code, stdout } = await run('check', '--all');
    expect(code).toBe(3);
    expect(stdout).toMatch(/package 101 +ok +250 videos/);
    expect(stdout).toMatch(/package 103 +ok +0 videos/);
    expect(stdout).toMatch(/package 999 +FAILED .*PackageNotFound/);
    expect(stdout).toMatch(/-> .*package 999.*check the key and the package/);
  });

  it('lists of many results those that failed first, and what to do once', async () => {
    const unknown = Array.from({ length: 40 }, (_, index) => 900 + index);
    const { run } = await sandboxFolder({ packages: [101, ...unknown] });
    const { code, stdout } = await run('check', '--all');
    expect(code).toBe(3);
    expect(stdout).not.toContain('package 101');
    expect(stdout).toContain('and 3 more: vodhouse check --all --json');
    expect(stdout.split('\n').filter((line) => line.includes('->'))).toEqual([
      expect.stringMatching(/main package 900, main package 901, main package 902, 37 more: check the key/),
    ]);
  });

  it('ends with 1 where the key is wrong for everything', async () => {
    const { text, write, run } = await sandboxFolder({ key: 'wrong-key' }, { storageAuth: 'query' });
    write(text.replace('storage: {', 'storage: { auth: query,'));
    const { code, stdout, stderr } = await run('check');
    expect(code).toBe(1);
    expect(stdout).toContain('InvalidKey');
    expect(stdout).toContain('key is missing or unknown');
    expect(`${stdout}${stderr}`).not.toContain('wrong-key');
  });

  it('ends soon, and names the address, where no service answers', async () => {
    const { run, value } = commandFolder({ url: NOWHERE, packages: [101, 102] });
    const { code, stdout } = await run('check', '--all', '--json');
    const hint = expect.stringContaining('base_url') as string;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      refused: null,
      findings: [
        { asked: 'package 101', ok: false, hint },
        { asked: expect.stringMatching(/^storage of /) as string, ok: false, hint },
      ],
    });
    expect(value('select count(*) from request')).toBe(2); // one attempt each
  });

  it('calls the service by the proxy of the environment, or of the account', async () => {
    const { url } = await startSandbox();
    const proxy = await startProxy({ login: 'me:pass-word' });
    const address = proxy.url.replace('://', '://me:${WORD}@');
    const text = configText({ url });
    const { cwd } = commandFolder(text, {
      'own.yaml': withLine(text, `proxy: ${address}`),
      'none.yaml': withLine(text, 'proxy: none'),
    });
    const HTTP_PROXY = address.replace('${WORD}', 'pass-word');
    for (const [config, env, requests] of [
      ['vodhouse.yaml', { HTTP_PROXY }, 2],
      ['own.yaml', { WORD: 'pass-word' }, 4],
      ['vodhouse.yaml', { HTTP_PROXY, NO_PROXY: 'localhost,127.0.0.0/8' }, 4],
      ['none.yaml', { HTTP_PROXY }, 4],
    ] as const) {
      const { code, stderr } = await vodhouse(['check', '--config', config], { cwd, env });
      expect([code, stderr, proxy.requests.length]).toEqual([0, '', requests]);
    }
    const wrong = ['check', '--config', 'own.yaml', '--log-level', 'debug'];
    const { code, stdout, stderr } = await vodhouse(wrong, { cwd, env: { WORD: 'guess-word' } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/407[^]*`proxy`/);
    expect(stdout + stderr).not.toContain('guess-word');
  });

  it('trusts a service by the certificate of its authority', async () => {
    const script = serveEverything(() => ({ body: listBody({ records: [videoRecord(1)] }) }));
    const { url } = await startScriptedService(script, SIGNED);
    const text = configText({ url, storage: false });
    const { run, write, succeed } = commandFolder(text, { 'own.pem': AUTHORITY });
    const without = await run('check');
    expect(without.code).toBe(1);
    expect(without.stdout).toContain('`ca` of the account');
    write(withLine(text, 'ca: own.pem'));
    expect(await succeed('check')).toMatch(/package 101 +ok +1 video$/m);
  });

  it.each([
    [204, 0, null],
    [404, 3, 'it answered 404'],
  ])('sends a test message with --notify: %i', async (status, expected, error) => {
    const webhook = await startWebhook();
    webhook.answer(status);
    const { cwd } = await sandboxFolder({ top: 'notify: { webhook: "${HOOK}", events: [] }' });
    const env = { HOOK: webhook.url };
    const { code, stdout } = await vodhouse(['check', '--notify', '--json'], { cwd, env });
    expect(code).toBe(expected);
    expect(JSON.parse(stdout)).toMatchObject({ webhook: { host: webhook.host, error } });
    const message = { event: 'test', state: 'begun', account: null, package_id: null, details: {} };
    expect(JSON.parse(webhook.calls[0]?.body ?? '')).toMatchObject(message);
    const text = await vodhouse(['check', '--notify'], { cwd, env });
    expect(text.stdout).toContain(webhook.host);
    expect(text.stdout).not.toContain(SECRET_PATH);
  });

  it('ends with 2 for --notify without a webhook, and sends nothing', async () => {
    const { run, service } = await serviceFolder(() => 'drop');
    expect((await run('check', '--notify')).code).toBe(2);
    expect(service.requests).toHaveLength(0);
  });

  it('ends with 130 at SIGINT', async () => {
    const script = serveEverything(() => ({ status: 503, headers: { 'retry-after': '60' } }));
    const { start, service } = await serviceFolder(script);
    const command = start('check');
    await expect.poll(() => service.requests.length).toBe(2); // a package, and the storage
    command.kill('SIGINT');
    const { code, stdout, stderr } = await command.ended;
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toContain('stopped by SIGINT');
  });
});

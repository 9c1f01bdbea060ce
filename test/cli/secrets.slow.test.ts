import { describe, expect, it, vi } from 'vitest';
import { CONFIG, configText } from '../support/fixtures/config-file.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import {
  CANARY_KEY,
  findCanary,
  replyWithKey,
  SLOW_PACKAGES,
  writtenFiles,
  QUICK_PACKAGES,
} from '../support/fixtures/awkward-key.ts';
import {
  listPage,
  serveEverything,
  videoRecord,
  listRefusal,
} from '../support/fixtures/service-responses.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';
import { vodhouse, eventually, startVodhouse } from '../support/processes/vodhouse-command.ts';

vi.setConfig({ testTimeout: 90_000 });

describe('the password of a proxy', () => {
  it('is in no output, log or file where the proxy repeats it', async () => {
    const password = 'proxy-pass/word';
    const encoded = encodeURIComponent(password);
    const proxy = await startScriptedService(({ headers }) => {
      const pair = (headers['proxy-authorization'] ?? '').replace('Basic ', '');
      const login = Buffer.from(pair, 'base64').toString();
      return { status: 503, body: `<b>${pair}</b> ${login} ${encodeURIComponent(login)}` };
    });
    const address = proxy.url.replace('://', `://me:${encoded}@`);
    const text = configText({ url: 'http://service.example.test', storage: false });
    const cwd = createFolder({
      [CONFIG]: text.replace('    packages', `    proxy: ${address}\n    packages`),
    });
    const { code, stdout, stderr } = await vodhouse(['sync', '--log-level', 'debug'], { cwd });
    expect([code, proxy.requests.length]).toEqual([1, 5]);
    expect(stdout).toContain('answered 503: [key] me:[key] me%3A[key]');
    const pair = Buffer.from(`me:${password}`).toString('base64');
    for (const [name, content] of [['printed', stdout + stderr], ...writtenFiles(cwd)]) {
      for (const secret of [password, encoded, pair]) expect(content.includes(secret), name).toBe(false);
    }
  });
});

describe('the password of a target', () => {
  const password = 'target-pass/word';
  const address = `postgres://loader:${encodeURIComponent(password)}@db.example.test/videos`;
  const folderWith = (target: string) => {
    const top = `publish: { targets: [{ name: warehouse, postgres: "\${PG}"${target} }] }`;
    const url = 'http://127.0.0.1:1';
    return createFolder({ [CONFIG]: configText({ url, storage: false, top }), '.env': `PG=${address}\n` });
  };
  const secrets = [password, encodeURIComponent(password), address];

  it.each(['check', 'plan', 'status', 'sync'])('is in no output, log or file of %s', async (command) => {
    const cwd = folderWith('');
    const { stdout, stderr } = await vodhouse([command, '--log-level', 'debug'], { cwd });
    for (const [name, content] of [['printed', stdout + stderr], ...writtenFiles(cwd)]) {
      for (const secret of secrets) expect(content.includes(secret), name).toBe(false);
    }
  });

  it.each(['check', 'plan'])('is not in what %s says about the target', async (command) => {
    const { code, stderr } = await vodhouse([command], { cwd: folderWith(', ssl: off, ca: x') });
    expect(code).toBe(2);
    for (const secret of secrets) expect(stderr).not.toContain(secret);
    const wrong = createFolder({
      [CONFIG]: configText({
        url: 'http://127.0.0.1:1',
        top: `publish: { targets: [{ name: a, postgres: "${address}?sslmode=require" }] }`,
      }),
    });
    const sslmode = await vodhouse([command], { cwd: wrong });
    expect(sslmode.stderr).toContain('postgres://loader:***@db.example.test/videos is not valid');
    expect(sslmode.stderr).toContain('for TLS the key `ssl`');
    for (const secret of secrets) expect(sslmode.stderr).not.toContain(secret);
  });
});

describe('the login of a store', () => {
  const login = { id: 'AKIACANARY0123456789', secret: 'canary/of+the-store', token: 'canary-token==' };
  const secrets = Object.values(login).flatMap((word) => [word, encodeURIComponent(word)]);
  const keys = [
    'access_key_id: "${S3_ID}", secret_access_key: "${S3_SECRET}", session_token: "${S3_TOKEN}"',
    'region: eu-central-1',
  ].join(', ');
  const dotEnv = `S3_ID=${login.id}\nS3_SECRET=${login.secret}\nS3_TOKEN=${login.token}\n`;
  /** A store that refuses everything, and repeats what it was told, and more. */
  const startStore = () =>
    startScriptedService(({ path, headers }) => {
      const told = `${path} ${JSON.stringify(headers)} ${Object.values(login).join(' ')}`;
      const message = told.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      const code = path.includes('main') ? 'SignatureDoesNotMatch' : 'InvalidAccessKeyId';
      return { status: 403, body: `<Error><Code>${code}</Code><Message>${message}</Message></Error>` };
    });

  it.each(['sync', 'publish', 'check', 'plan', 'status'])(
    'is in no output, log or file of %s',
    async (command) => {
      const store = await startStore();
      const service = await startScriptedService(
        serveEverything((request) => listPage(request, [videoRecord(1)])),
      );
      const target = `{ name: lake, s3: s3://videos/lake, endpoint: "${store.url}", ${keys} }`;
      const top = `server: { port: 0 }\npublish: { targets: [${target}] }`;
      const config = configText({ url: service.url, storage: false, top });
      const cwd = createFolder({ [CONFIG]: config, '.env': dotEnv });
      if (command !== 'sync') await vodhouse(['sync'], { cwd });
      const { stdout, stderr } = await vodhouse([command, '--log-level', 'debug'], { cwd });
      if (command !== 'plan') expect(stdout + stderr).toContain('lake');
      for (const [name, content] of [['printed', stdout + stderr], ...writtenFiles(cwd)])
        for (const secret of secrets) expect(content.includes(secret), `${name} has ${secret}`).toBe(false);
    },
  );
});

describe('the key', () => {
  it('is in no output, log or file where requests are retried', async () => {
    const { url, requests } = await startScriptedService(replyWithKey);
    const config = configText({ url, key: CANARY_KEY, packages: SLOW_PACKAGES, storage: false });
    const cwd = createFolder({ [CONFIG]: config });
    const { code, stdout, stderr } = await vodhouse(['sync', '--log-level', 'debug'], { cwd });
    expect(code).toBe(1);
    expect(requests).toHaveLength(SLOW_PACKAGES.length * 5);
    expect(findCanary([['printed', stdout + stderr]])).toEqual([]);
    expect(findCanary(writtenFiles(cwd))).toEqual([]);
  });
});

describe('the key of an account', () => {
  it('is in no output, log or file, whatever fails', async () => {
    const { url } = await startScriptedService(replyWithKey);
    const top = 'publish: { exclude: [] }';
    const config = configText({ url, key: '${VODHOUSE_KEY}', packages: QUICK_PACKAGES, concurrency: 6, top });
    const cwd = createFolder({
      [CONFIG]: config,
      '.env': `VODHOUSE_KEY='${CANARY_KEY}'\n`,
      'bad.yaml': config
        .replace('Asia/Seoul', '${VODHOUSE_KEY}')
        .replace('page_size: 1000', 'page_size: ${VODHOUSE_KEY}'),
    });
    const commands = [
      { command: ['sync', '--log-level', 'debug'], ends: 3 },
      { command: ['sync', '--package', '1,2,3,4,5', '--json', '--log-format', 'json'], ends: 1 },
      { command: ['check'], ends: 1 },
      { command: ['publish'], ends: 0 },
      { command: ['status'], ends: 3 },
      { command: ['status', '--json'], ends: 3 },
      { command: ['status', '--requests', '--json'], ends: 0 },
      { command: ['runs'], ends: 0 },
      { command: ['runs', '1'], ends: 0 },
      { command: ['runs', '2', '--json'], ends: 0 },
      { command: ['sync', '--config', 'bad.yaml'], ends: 2 },
    ];
    const printed: [string, string][] = [];
    for (const { command, ends } of commands) {
      const { code, stdout, stderr } = await vodhouse(command, { cwd });
      expect([command, code]).toEqual([command, ends]);
      printed.push([command.join(' '), stdout + stderr]);
    }
    expect(printed[0]?.[1]).toContain(
      'errorCode Invalid:[key]: no [key], not even [key] or ?key=[key]&pkg=2',
    );
    expect(findCanary(printed)).toEqual([]);
    expect(writtenFiles(cwd).map(([name]) => name)).toContain('published/vodhouse.bi.db');
    expect(findCanary(writtenFiles(cwd))).toEqual([]);
  });

  it('is in no file of a sync that was killed, including journal and lock file', async () => {
    const { url, requests } = await startScriptedService(({ query }) =>
      query.get('pkg') === '2' ? 'hang' : listRefusal('No', `no ${query.get('key') ?? ''}`),
    );
    const cwd = createFolder({
      [CONFIG]: configText({ url, key: CANARY_KEY, packages: [1, 2], storage: false }),
    });
    const command = startVodhouse(['sync'], { cwd });
    await eventually(command.stderr).toContain('package 1, page 1: the service refused');
    await eventually(() => requests.length).toBe(3);
    command.kill('SIGKILL');
    await command.ended;
    const files = writtenFiles(cwd);
    const names = files.map(([name]) => name);
    for (const ending of ['.db', '.db-wal', '.db.run.lock', '.db.run.holder']) {
      expect(names).toContain(`data/vodhouse${ending}`);
    }
    expect(files.some(([, content]) => content.includes('errorCode No: no [key]'))).toBe(true);
    expect(findCanary(files)).toEqual([]);
  });
});

import { describe, expect, it, vi } from 'vitest';
import {
  CANARY_KEY,
  findCanary,
  QUICK_PACKAGES,
  replyWithKey,
  writtenFiles,
} from '../support/fixtures/awkward-key.ts';
import { commandFolder, NOWHERE, serviceFolder } from '../support/fixtures/command-folder.ts';
import { configText } from '../support/fixtures/config-file.ts';
import {
  listPage,
  listBody,
  listRefusal,
  serveEverything,
  videoRecord,
} from '../support/fixtures/service-responses.ts';
import { startScriptedService } from '../support/servers/scripted-service.ts';

vi.setConfig({ testTimeout: 90_000 });

/** Asserts that no secret is in the output, nor in a file that the command wrote. */
function expectSecret(cwd: string, printed: { stdout: string; stderr: string }, secrets: readonly string[]) {
  for (const [name, content] of [['printed', printed.stdout + printed.stderr], ...writtenFiles(cwd)])
    for (const secret of secrets) expect(content.includes(secret), `${name} has ${secret}`).toBe(false);
}

it('the password of a proxy is in no output, log or file where the proxy repeats it', async () => {
  const password = 'proxy-pass/word';
  const encoded = encodeURIComponent(password);
  const proxy = await startScriptedService(({ headers }) => {
    const pair = (headers['proxy-authorization'] ?? '').replace('Basic ', '');
    const login = Buffer.from(pair, 'base64').toString();
    return { status: 503, body: `<b>${pair}</b> ${login} ${encodeURIComponent(login)}` };
  });
  const address = proxy.url.replace('://', `://me:${encoded}@`);
  const text = configText({ url: 'http://service.example.test', storage: false });
  const { cwd, run } = commandFolder(text.replace('    packages', `    proxy: ${address}\n    packages`));
  const ended = await run('sync', '--log-level', 'debug');
  expect([ended.code, proxy.requests.length]).toEqual([1, 5]);
  expect(ended.stdout).toContain('answered 503: [key] me:[key] me%3A[key]');
  expectSecret(cwd, ended, [password, encoded, Buffer.from(`me:${password}`).toString('base64')]);
});

describe('the password of a target', () => {
  const password = 'target-pass/word';
  const address = `postgres://loader:${encodeURIComponent(password)}@db.example.test/videos`;
  const secrets = [password, encodeURIComponent(password), address];
  const folderWith = (target: string) => {
    const top = `publish: { targets: [{ name: warehouse, ${target} }] }`;
    return commandFolder({ url: NOWHERE, storage: false, top }, { '.env': `PG=${address}\n` });
  };

  it.each(['check', 'plan', 'status', 'sync'])('is in no output, log or file of %s', async (command) => {
    const { cwd, run } = folderWith('postgres: "${PG}"');
    expectSecret(cwd, await run(command, '--log-level', 'debug'), secrets);
  });

  it.each([
    ['postgres: "${PG}", ssl: off, ca: x', 'ca'],
    [`postgres: "${address}?sslmode=require"`, 'postgres://loader:***@db.example.test/videos is not valid'],
  ])('is not in what is said about the target %#', async (target, message) => {
    for (const command of ['check', 'plan']) {
      const { cwd, run } = folderWith(target);
      const ended = await run(command);
      expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(message)]);
      expectSecret(cwd, ended, secrets);
    }
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
  /** A store that refuses everything, and repeats its input, and more. */
  const startStore = () =>
    startScriptedService(({ path, headers }) => {
      const input = `${path} ${JSON.stringify(headers)} ${Object.values(login).join(' ')}`;
      const message = input.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      const code = path.includes('main') ? 'SignatureDoesNotMatch' : 'InvalidAccessKeyId';
      return { status: 403, body: `<Error><Code>${code}</Code><Message>${message}</Message></Error>` };
    });

  it('is in no output, log or file of any command', async () => {
    const store = await startStore();
    const target = `{ name: lake, s3: s3://videos/lake, endpoint: "${store.url}", ${keys} }`;
    const top = `server: { port: 0 }\npublish: { targets: [${target}] }`;
    const script = serveEverything((request) => listPage(request, [videoRecord(1)]));
    const { cwd, write, run } = await serviceFolder(script, { storage: false, top });
    write(dotEnv, '.env');
    for (const command of ['sync', 'publish', 'check', 'plan', 'status']) {
      const ended = await run(command, '--log-level', 'debug');
      if (command !== 'plan') expect(ended.stdout + ended.stderr).toContain('lake');
      expectSecret(cwd, ended, secrets);
    }
  });
});

describe('the key of an account', () => {
  it('is in no output, log or file, whatever fails', async () => {
    const top = 'publish: { exclude: [] }';
    const config = { key: '${VODHOUSE_KEY}', packages: QUICK_PACKAGES, concurrency: 6, top };
    const { cwd, text, write, run } = await serviceFolder(replyWithKey, config);
    write(`VODHOUSE_KEY='${CANARY_KEY}'\n`, '.env');
    const bad = text.replace('Asia/Seoul', '${VODHOUSE_KEY}');
    write(bad.replace('page_size: 1000', 'page_size: ${VODHOUSE_KEY}'), 'bad.yaml');
    const printed: [string, string][] = [];
    for (const [command, ends] of [
      ['sync --log-level debug', 3],
      ['sync --package 1,2,3,4,5 --json --log-format json', 1],
      ['check', 1],
      ['publish', 0],
      ['status', 3],
      ['status --json', 3],
      ['status --requests --json', 0],
      ['runs', 0],
      ['runs 1', 0],
      ['runs 2 --json', 0],
      ['sync --config bad.yaml', 2],
    ] as const) {
      const { code, stdout, stderr } = await run(...command.split(' '));
      expect([command, code]).toEqual([command, ends]);
      printed.push([command, stdout + stderr]);
    }
    expect(printed[0]?.[1]).toContain(
      'errorCode Invalid:[key]: no [key], not even [key] or ?key=[key]&pkg=2',
    );
    expect(writtenFiles(cwd).map(([name]) => name)).toContain('published/vodhouse.bi.db');
    expect(findCanary([...printed, ...writtenFiles(cwd)])).toEqual([]);
  });

  it('is in no file of a sync that was killed, including journal and lock file', async () => {
    const { cwd, start, service } = await serviceFolder(
      ({ query }) => {
        if (query.get('pkg') === '1') return { body: listBody({}) }; // the account is served
        return query.get('pkg') === '3' ? 'hang' : listRefusal('No', `no ${query.get('key') ?? ''}`);
      },
      { key: CANARY_KEY, packages: [1, 2, 3], storage: false },
    );
    const command = start('sync');
    await expect.poll(command.stderr).toContain('package 2, page 1: the service refused');
    await expect.poll(() => service.requests.length).toBe(4);
    command.kill('SIGKILL');
    await command.ended;
    const files = writtenFiles(cwd);
    const names = ['.db', '.db-wal', '.db.run.lock', '.db.run.holder'].map((end) => `data/vodhouse${end}`);
    expect(files.map(([name]) => name)).toEqual(expect.arrayContaining(names));
    expect(files.some(([, content]) => content.includes('errorCode No: no [key]'))).toBe(true);
    expect(findCanary(files)).toEqual([]);
  });
});

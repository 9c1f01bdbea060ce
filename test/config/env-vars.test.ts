import { join } from 'node:path';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { childEnvWithout, takeNotifySocket } from '../../src/config/env-vars.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createLookup } from '../../src/config/lookup.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { catchConfigError, LEAST, load, readProblems } from '../support/fixtures/load-config.ts';

const WITH_VARIABLE = LEAST.replace('first-key', '"${VODHOUSE_KEY}"');

afterEach(() => vi.unstubAllEnvs());

function loadKey(files: Record<string, string | Uint8Array>, env: Record<string, string | undefined> = {}) {
  const file = join(createFolder({ 'vodhouse.yaml': WITH_VARIABLE, ...files }), 'vodhouse.yaml');
  return loadConfig(file, env).accounts[0]?.videoList.key;
}

describe('${NAME}', () => {
  test.each<[string, Record<string, string | undefined>, string | null, string]>([
    ['the variable of the environment', { VODHOUSE_KEY: 'from-env' }, null, 'from-env'],
    ['the line of the .env', {}, '# mine\nVODHOUSE_KEY="from file"\n', 'from file'],
    ['the line of a .env with a byte order mark', {}, '\uFEFFVODHOUSE_KEY=from-file\n', 'from-file'],
    ['that of the environment first', { VODHOUSE_KEY: 'from-env' }, 'VODHOUSE_KEY=x\n', 'from-env'],
    [
      'that of .env where the other is undefined',
      { VODHOUSE_KEY: undefined },
      'VODHOUSE_KEY=from-file\n',
      'from-file',
    ],
  ])('is replaced by %s', (_what, env, dotEnv, key) => {
    expect(loadKey(dotEnv === null ? {} : { '.env': dotEnv }, env)).toBe(key);
  });

  test('may be anywhere in a text, and more than once', () => {
    const yaml = LEAST.replace('https://videos.example.test', '"https://${HOST}.${HOST}.test/${PATH_1}"');
    const config = load(yaml, { HOST: 'h', PATH_1: 'p' });
    expect(config.accounts[0]?.videoList.baseUrl).toBe('https://h.h.test/p');
  });

  test('is not expanded again', () => {
    expect(loadKey({}, { VODHOUSE_KEY: 'a${B}$${C}' })).toBe('a${B}$${C}');
  });
});

describe('a line of .env', () => {
  test.each([
    ['abc#123456', 'abc#123456'],
    ['#abc', '#abc'],
    ['abc # a comment', 'abc'],
    ['abc\t#a comment', 'abc'],
    ["it's", "it's"],
    ['a"b"', 'a"b"'],
    ['  abc  ', 'abc'],
    ['"abc # d" # a comment', 'abc # d'],
    ["'a\\nb'", 'a\\nb'],
    ['"a\\nb"', 'a\nb'],
    ['"a\nb"', 'a\nb'],
    ['`a"b\'c`', 'a"b\'c'],
    ['a=b==', 'a=b=='],
  ])('VODHOUSE_KEY=%j has the value %j', (written, value) => {
    const text = `OTHER=1\nexport VODHOUSE_KEY=${written}\nLAST=2\n`;
    for (const dotEnv of [text, text.replaceAll('\n', '\r\n')])
      expect(createLookup(createFolder({ '.env': dotEnv }), {})('VODHOUSE_KEY')).toBe(value);
  });

  test.each(['"abc', "'abc", '"abc"def', '"abc"#def', '"a\\"b"'])(
    'VODHOUSE_KEY=%s is a problem with its line, without the value',
    (written) => {
      const { message } = catchConfigError(() =>
        loadKey({ '.env': `A=1\n\nVODHOUSE_KEY=${written}\nB=2\n` }),
      );
      expect(message).toMatch(/\.env has 1 problem:\n {2}line 3 {2}VODHOUSE_KEY: the quote .* is not closed/);
      expect(message).not.toContain('abc');
    },
  );
});

describe('a file that is not UTF-8', () => {
  /** U+AC00 in CP949, and é in Latin-1. */
  const CODE_PAGES = { CP949: [0xb0, 0xa1], 'Latin-1': [0xe9] };
  const asUtf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

  test.each(Object.entries(CODE_PAGES))('is named: %s', (_name, bytes) => {
    const append = (text: string) => Buffer.concat([Buffer.from(text), Buffer.from(bytes)]);
    const loadWith = (files: Record<string, string | Uint8Array>) =>
      catchConfigError(() => loadKey(files)).message;
    expect(loadWith({ 'vodhouse.yaml': append(`${LEAST}# `) })).toMatch(
      /vodhouse\.yaml cannot be read: it is not UTF-8/,
    );
    expect(loadWith({ '.env': append('VODHOUSE_KEY=abc') })).toMatch(/\.env cannot be read: it is not UTF-8/);
    const yaml = LEAST.replace('first-key', '"${file:secret}"');
    expect(loadWith({ 'vodhouse.yaml': yaml, secret: append('abc') })).toMatch(
      /line 4 .*\$\{file:secret\} cannot be read \(it is not UTF-8/,
    );
    expect(loadWith({ 'vodhouse.yaml': asUtf16(LEAST) })).toContain('it is not UTF-8');
  });
});

describe('${file:PATH}', () => {
  const yaml = LEAST.replace('first-key', '"${file:secret}"');

  test.each(['from-secret', 'from-secret\n', 'from-secret\r\n'])(
    'is replaced by the content %j',
    (secret) => {
      const config = loadConfig(join(createFolder({ 'vodhouse.yaml': yaml, secret }), 'vodhouse.yaml'), {});
      expect(config.accounts[0]?.videoList.key).toBe('from-secret');
      expect(config.secrets).toEqual(['from-secret']);
    },
  );

  test('is a problem where the file is missing or a folder', () => {
    expect(readProblems(yaml)[0]).toMatch(/\$\{file:secret\} cannot be read \(ENOENT.*secret/);
    expect(readProblems(yaml.replace('file:secret', 'file:/'))[0]).toMatch(
      /\$\{file:\/\} cannot be read \(EISDIR/,
    );
  });

  test('may have variables in its path, as systemd passes the folder of credentials', () => {
    const DIR = createFolder({ key: 'from-folder\n' });
    const nested = LEAST.replace('first-key', '"a-${file:${DIR}/key}-b"');
    expect(load(nested, { DIR }).accounts[0]?.videoList.key).toBe('a-from-folder-b');
    expect(readProblems(nested)).toEqual([
      'line 4  accounts[0].video_list.key: ${DIR} is not set; expected it in the environment or in the file .env in its folder',
    ]);
    expect(readProblems(nested, { DIR: '/nowhere' })[0]).toContain('${file:${DIR}/key} cannot be read');
    expect(readProblems(nested.replace('/key}', '/key'), { DIR })[0]).toContain('a ${ without a plain name');
  });
});

describe('$${', () => {
  test('is a literal ${', () => {
    expect(load(LEAST.replace('first-key', () => '"a$${B}"')).accounts[0]?.videoList.key).toBe('a${B}');
  });
});

describe('a variable that is not set', () => {
  test('is reported on its line, and causes no further problem', () => {
    expect(readProblems(LEAST.replace('Asia/Seoul', '${ZONE}'))).toEqual([
      'line 1  timezone: ${ZONE} is not set; expected it in the environment or in the file .env in its folder',
    ]);
  });

  test('differs from an empty one', () => {
    expect(readProblems(WITH_VARIABLE, { VODHOUSE_KEY: '' })[0]).toContain('key: is empty; expected');
  });
});

describe('a ${ without a valid name', () => {
  test.each(['${}', '${A-B}', '${A:-b}', '${ A }', 'x${A'])('%s is a problem', (text) => {
    expect(readProblems(LEAST.replace('Asia/Seoul', `"${text}"`), { A: 'UTC' })).toEqual([
      'line 1  timezone: a ${ without a plain name and a }; expected ${NAME}, or $${ for a literal ${',
    ]);
  });
});

describe('the environment for another process', () => {
  test('is the current one without variables that hold a secret', () => {
    vi.stubEnv('VODHOUSE_TEST_KEY', 'canary-key');
    vi.stubEnv('VODHOUSE_TEST_URL', 'https://example.test/?key=canary-key&more');
    vi.stubEnv('VODHOUSE_TEST_PLAIN', 'plain');
    const environment = childEnvWithout(['', 'canary-key']);
    expect(JSON.stringify(environment)).not.toContain('canary-key');
    expect(environment).toMatchObject({ VODHOUSE_TEST_PLAIN: 'plain', PATH: process.env['PATH'] });
  });
});

const WATCHED = {
  NOTIFY_SOCKET: '/run/systemd/notify',
  WATCHDOG_USEC: '300000000',
  WATCHDOG_PID: '77',
  PATH: '/usr/bin',
};

it('takes what systemd says out of the environment', () => {
  const env = { ...WATCHED, HOME: '/root' };
  expect(takeNotifySocket(env, 77)).toEqual({
    environment: { NOTIFY_SOCKET: '/run/systemd/notify', PATH: '/usr/bin' },
    watchdogMs: 300_000,
  });
  expect(env).toEqual({ PATH: '/usr/bin', HOME: '/root' });
});

it.each([
  ['no watchdog, meant for another process', WATCHED, 78, null],
  ['no watchdog', { NOTIFY_SOCKET: '@x' }, 77, null],
  ['no watchdog of 0', { NOTIFY_SOCKET: '@x', WATCHDOG_USEC: '0' }, 77, null],
  ['no service manager', { PATH: '/usr/bin' }, 77, undefined],
  ['an empty address', { ...WATCHED, NOTIFY_SOCKET: '' }, 77, undefined],
])('reads %s', (_what, env, pid, watchdogMs) => {
  expect(takeNotifySocket({ ...env }, pid)?.watchdogMs).toBe(watchdogMs);
});

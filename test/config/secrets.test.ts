import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test, it } from 'vitest';
import { catchConfigError, LEAST, load, readProblems } from '../support/fixtures/load-config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';

const SECRET = 'hunter2-0xDEADBEEF';

describe('a secret is never in a message', () => {
  test.each([
    ['a key that is not valid', LEAST.replace('first-key', `"${SECRET}\\nmore"`)],
    ['a key of the server', `${LEAST}server: { keys: ["${SECRET} "] }\n`],
    ['a key where a mapping belongs', LEAST.replace(/\{ base_url.*\}/, SECRET)],
    ['a key that lacks its space', LEAST.replace('key: first-key', `key:${SECRET}`)],
    ['an address with the key in it', LEAST.replace('.test', `.test/?key=${SECRET}`)],
    ['an address with a fragment', LEAST.replace('.test', `.test/#${SECRET}`)],
    ['an address with a password', LEAST.replace('videos.', `me:${SECRET}@videos.`)],
    ['a key where a list belongs', `${LEAST}server: { keys: ${SECRET} }\n`],
    ['a webhook', `${LEAST}notify: { webhook: "ftp://hooks.example.test/${SECRET}" }\n`],
    ['a ping', `${LEAST}notify: { ping: "${SECRET}" }\n`],
    ['a ping about a start', `${LEAST}notify: { ping: { start: "ftp://${SECRET}" } }\n`],
    ['a ping that is a list', `${LEAST}notify: { ping: ["https://p.example.test/${SECRET}"] }\n`],
    ['an alias that is none', LEAST.replace('first-key', `*${SECRET}`)],
    ['a tag that is none', LEAST.replace('first-key', `!${SECRET} x`)],
    ['a block header that is none', `${LEAST}x: |${SECRET}\n  y\n`],
    ['a quote that is not closed', LEAST.replace('first-key', `"${SECRET}`)],
    ['a directive that is none', `%${SECRET}\n---\n${LEAST}`],
    ['a default that shells know', LEAST.replace('first-key', `"\${KEY:-${SECRET}}"`)],
  ])('%s', (_, yaml) => {
    const { message, stack, cause } = catchConfigError(() => load(yaml));
    expect(`${message}${stack ?? ''}${String(cause)}`).not.toContain(SECRET);
  });

  test('nor any value that came from a variable', () => {
    const yaml = LEAST.replace('Asia/Seoul', '${TZ}').replace('https://videos.example.test', '"${AT}"');
    const problems = readProblems(yaml, { TZ: SECRET, AT: `ftp://${SECRET}` });
    expect(problems.map((line) => line.split(' is ')[0])).toEqual([
      'line 1  timezone: [hidden]',
      'line 4  accounts[0].video_list.base_url: [hidden]',
    ]);
  });

  test('nor a key that was also put in a wrong place', () => {
    expect(readProblems(LEAST.replace('Asia/Seoul', 'x-first-key-x'))).toEqual([
      'line 1  timezone: [hidden] is not valid; expected an IANA time zone such as Asia/Seoul',
    ]);
  });

  test('nor any key, wherever it is put', () => {
    // Without quotes: YAML removes those, and the value would differ.
    const secret = fc.stringMatching(/^[!#-&(-~]{12,30}$/);
    const place = fc.constantFrom('Asia/Seoul', 'main', 'https://videos.example.test', '101', 'first-key');
    fc.assert(
      fc.property(secret, place, fc.boolean(), (text, old, quoted) => {
        const value = quoted ? JSON.stringify(text) : text;
        const yaml = LEAST.replace('first-key', () => JSON.stringify(text)).replace(old, () => value);
        let message = '';
        try {
          load(yaml.replaceAll('${', '$ {'));
        } catch (error) {
          message = error instanceof Error ? error.message : '';
        }
        expect(message).not.toContain(text);
      }),
    );
  });
});

const EXPECTED =
  '[hidden] is not valid; expected a key that an HTTP header can carry, without typographic quotes and the like';
const withStorage = (keys: string) => `${LEAST}    storage:\n      base_url: http://r\n${keys}`;
const IN_HEADER = '      auth: { header: x-api-key }\n';

describe('a key that is sent in a header', () => {
  it.each([
    '“quoted”',
    '‘quoted’',
    'key…',
    '"key\\u0007b"',
    '"key\\u0000b"',
    '"key\\u2028b"',
    '열쇠열쇠',
    '"key \\uD83D\\uDD25"',
  ])('cannot have what no header can carry: %s', (key) => {
    const own = readProblems(withStorage(`${IN_HEADER}      key: ${key}\n`));
    expect(own).toEqual([`line 9  accounts[0].storage.key: ${EXPECTED}`]);
    const shared = readProblems(withStorage(IN_HEADER).replace('first-key', key));
    expect(shared).toEqual([`line 4  accounts[0].video_list.key: ${EXPECTED}`]);
  });

  it.each([
    'plain',
    '"with space"',
    '"with\\ttab"',
    '"schlüssel"',
    '12345',
    '"a!#$%&()*+,-./:;<=>?@[]^_`{|}~"',
  ])('may be %s', (key) => {
    expect(() => load(withStorage(`${IN_HEADER}      key: ${key}\n`))).not.toThrow();
  });

  it('is named by its line where it comes from a variable or a file, and is not printed', () => {
    for (const place of ['${KEY}', '${file:key.txt}']) {
      const yaml = withStorage(`${IN_HEADER}      key: ${place}\n`);
      const folder = createFolder({ 'vodhouse.yaml': yaml, 'key.txt': '“hunter2”\n' });
      const error = catchConfigError(() => loadConfig(join(folder, 'vodhouse.yaml'), { KEY: '“hunter2”' }));
      expect(error.message).toContain(`line 9  accounts[0].storage.key: ${EXPECTED}`);
      expect(`${error.message}${error.stack}`).not.toContain('hunter2');
    }
  });

  it('is not the one of the list where the storage has its own, nor any where a query carries it', () => {
    const own = withStorage(`${IN_HEADER}      key: plain\n`).replace('first-key', '“key”');
    const inQuery = withStorage('      auth: query\n      key: “key”\n');
    for (const yaml of [own, inQuery, LEAST.replace('first-key', '“key”')])
      expect(() => load(yaml)).not.toThrow();
  });
});

it.each(['access_key_id', 'session_token'])('%s of a bucket is sent in a header too', (name) => {
  const login = {
    access_key_id: 'the-id',
    secret_access_key: '“secret”',
    session_token: 'token',
    [name]: '“key”',
  };
  const keys = Object.entries(login).map(([key, value]) => `        ${key}: ${value}\n`);
  const yaml = `${LEAST}publish:\n  targets:\n    - name: lake\n      s3: s3://videos/lake\n${keys.join('')}`;
  expect(readProblems(yaml.replaceAll('        ', '      '))).toEqual([
    expect.stringMatching(
      `publish\\.targets\\[0\\]\\.${name}: \\[hidden\\] is not valid; expected a key that an HTTP header can carry`,
    ),
  ]);
});

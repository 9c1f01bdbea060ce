import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catchConfigError, LEAST, load, readProblems } from '../support/fixtures/load-config.ts';

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

import { describe, expect, test } from 'vitest';
import { LEAST, load, readProblems } from '../support/fixtures/load-config.ts';

const STORAGE = '    storage: { base_url: http://r }\n';

/** A path in the config: the text at it, and how to replace that text. */
const PLACES: Record<string, (value: string) => string> = {
  timezone: (value) => LEAST.replace('Asia/Seoul', value),
  base_url: (value) => LEAST.replace('https://videos.example.test', value),
  key: (value) => LEAST.replace('first-key', value),
  name: (value) => LEAST.replace('main', value),
  packages: (value) => LEAST.replace('101', value),
  since: (value) => LEAST + STORAGE.replace(' }', `, since: ${value} }`),
  optional: (value) => LEAST + STORAGE.replace(' }', `, optional: ${value} }`),
  plausible_factor: (value) => LEAST + STORAGE.replace(' }', `, plausible_factor: ${value} }`),
  settle: (value) => LEAST + STORAGE.replace(' }', `, settle: ${value} }`),
  auth: (value) => LEAST + STORAGE.replace(' }', `, auth: ${value} }`),
  full: (value) => `${LEAST}schedule: { full: "${value}" }\n`,
  warehouse: (value) => `${LEAST}warehouse: ${value}\n`,
  port: (value) => `${LEAST}server: { port: ${value} }\n`,
  trust_proxy: (value) => `${LEAST}server: { trust_proxy: ${value} }\n`,
  webhook: (value) => `${LEAST}notify: { webhook: ${value} }\n`,
  ping: (value) => `${LEAST}notify: { ping: ${value} }\n`,
  remind_after: (value) => `${LEAST}notify: { remind_after: ${value} }\n`,
};

const RIGHT: Record<string, string[]> = {
  timezone: ['UTC', 'Asia/Seoul', 'America/Argentina/Buenos_Aires', 'Etc/GMT-9'],
  base_url: ['http://localhost:8320', 'https://h.test/', 'https://h.test/a/b', '"http://[::1]:80"'],
  key: ['$-$-', '$a-b', '"a$NAME"', 'abcd', '"with space"', '12345', '"a=b&c%?#"'],
  name: ['a', 'A-1_b', '2024', '"007"'],
  packages: ['1', '9007199254740991', '{ id: 5 }', '{ id: 5, name: 2024 }'],
  since: ['2024-02-29', '"2026-01-01"'],
  optional: ['[]', '[ad_org_cnt, image_size]'],
  plausible_factor: ['1.5', '2', '100'],
  settle: ['0s', '500ms', '90s', '2m', '1h', '7d'],
  auth: ['none', 'query', '{ header: X-Key }', '{ header: cookie }'],
  full: ['* * * * *', '*/5 0-6,22 1 JAN-mar sun,6', '5-20/5 0 * * 1-5', '@Hourly'],
  warehouse: ['w.db', '/srv/w.db', '../w.db', '"with space.db"'],
  port: ['0', '65535'],
  trust_proxy: ['true', 'false', '127.0.0.1', '[]', '[10.0.0.0/8, "::1", "fd00::/8"]'],
  webhook: ['http://h', 'https://h.test/a?b=c#d'],
  ping: ['http://h', 'https://h.test/a'],
  remind_after: ['30m', '1d', 'null'],
};

const WRONG: Record<string, string[]> = {
  timezone: ['""', '+09:00', '"-03"', 'Asia/Soul', '9', 'null', 'KST+9'],
  base_url: [
    'ftp://h',
    'http://',
    '"http://h /"',
    'http://h#x',
    'http://a@h',
    'http://h/info/v1/videos.json',
    'http://h/x/report/stats/',
  ],
  key: ['$NAME', '$name', 'abc', '123', '""', '" "', '" a"', '"a\\nb"', 'true', 'null', '[a]'],
  name: ['""', '-a', 'a.b', 'a/b', '"a b"', 'ä'],
  packages: ['0', '-1', '1.5', '"1"', '9007199254740992', 'null', '{ name: x }', '.inf', 'true'],
  optional: ['ad_org_cnt', '[ad_cnt]', '[title]', 'null'],
  plausible_factor: ['1', '0', '-2', '"2"', 'null'],
  since: ['2026-02-30', '2026-13-01', '2026-1-1', '20260101', '2026', 'yesterday', '2026-01-01T00:00:00Z'],
  settle: ['1', '1.5h', '"1 h"', '-1h', '1w', '99999999999999d', 'h'],
  auth: [
    'basic',
    '{}',
    '{ header: "a b" }',
    '{ header: "" }',
    '{ header: “x” }',
    '[none]',
    'null',
    '{ header: Host }',
    '{ header: content-length }',
    '{ header: Connection }',
    '{ header: expect }',
    '{ header: Accept-Encoding }',
    '{ header: Proxy-Authorization }',
    '{ header: transfer-encoding }',
  ],
  full: ['', '* * * *', '@reboot', '60 * * * *', '* * 30 2 *'],
  warehouse: ['$HOME/w.db', 'data/', '""', '~/w.db', '1', '[a]'],
  port: ['-1', '65536', '"80"', '1.5'],
  trust_proxy: ['null', '0.0.0.0/0', '10.0.0.0/33', '[nginx]'],
  webhook: ['h', 'ftp://h', '""'],
  ping: ['h', 'null', '[http://h]'],
  remind_after: ['1', '1w', '""', 'never'],
};

describe.each(Object.keys(PLACES))('%s', (place) => {
  const write = PLACES[place] ?? String;

  test.each(RIGHT[place] ?? [])('may be %s', (value) => {
    expect(() => load(write(value))).not.toThrow();
  });

  test.each(WRONG[place] ?? [])('may not be %s', (value) => {
    const problems = readProblems(write(value));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(place);
    expect(problems[0]).toMatch(/; expected ./);
  });
});

describe('a server key', () => {
  test('has 16 characters or more', () => {
    const write = (key: string) => `${LEAST}server: { keys: [${key}] }\n`;
    expect(load(write('k'.repeat(16))).server?.keys).toEqual(['k'.repeat(16)]);
    expect(readProblems(write('k'.repeat(15)))).toEqual([
      'line 6  server.keys[0]: [hidden] is not valid; ' +
        'expected a key of at least 16 characters, such as openssl rand -hex 16 prints',
    ]);
  });
});

describe('a cron expression', () => {
  test('is written out where it is a name', () => {
    expect(load(`${LEAST}schedule: { full: "@hourly", quick: " */5  * * * * " }\n`).schedule).toMatchObject({
      full: '0 * * * *',
      quick: '*/5 * * * *',
    });
  });

  test.each([
    ['61 * * * *', 'a minute (first field)'],
    ['0 24 * * *', 'an hour (second field)'],
    ['0 3 0 * *', 'a day of the month (third field)'],
    ['0 3 * 13 *', 'a month (fourth field)'],
    ['0 3 * * MONDAY', 'a day of the week (fifth field)'],
    ['0 3 31 2 *', 'a day of the month (third field)'],
    ['0 0 3 * * *', 'five fields, not 6'],
  ])('of %s gets an error that names the wrong field', (value, expected) => {
    expect(readProblems(`${LEAST}schedule: { full: "${value}" }\n`)[0]).toContain(
      `expected ${expected}`.replace('expected five', 'five'),
    );
  });

  test.each(['* * * * *', '*/10 * * * *', '*'])('of %s without quotes asks for quotes', (value) => {
    for (const lines of [`schedule:\n  full: ${value} # often`, `schedule: { full: ${value} }`])
      expect(readProblems(`${LEAST}${lines}\n`).join()).toContain('needs quotes');
  });

  test.each(['* * * * L', '? * * * *', '*/0 * * * *'])(
    'may not be %s, which cron implementations read differently',
    (value) => {
      expect(readProblems(`${LEAST}schedule: { quick: "${value}" }\n`)).toHaveLength(1);
    },
  );
});

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { catchConfigError, LEAST, readProblems, load } from '../support/fixtures/load-config.ts';
import { inTime } from '../support/time-limit.ts';

describe('the problems of a config', () => {
  test('are all reported together, each with its line, path, value and the expected value', () => {
    const yaml = `timezone: +09:00
accounts:
  - name: main
    video_list:
      base_url: videos.example.test
      key: \${VODHOUSE_KEY}
    packages: [101, 0]
    limits:
      per_secnd: 2
      per_minute: -1
`;
    const file = join(createFolder({ 'vodhouse.yaml': yaml }), 'vodhouse.yaml');
    expect(catchConfigError(() => loadConfig(file, {})).message).toBe(
      [
        `${file} has 6 problems:`,
        '  line  1  timezone: "+09:00" is not valid; expected an IANA time zone such as Asia/Seoul',
        '  line  5  accounts[0].video_list.base_url: "videos.example.test" is not valid; ' +
          'expected an http(s) address without query, fragment or credentials, before /info/v1 or /report/stats: ' +
          'vodhouse adds the path of the operation',
        '  line  6  accounts[0].video_list.key: ${VODHOUSE_KEY} is not set; ' +
          'expected it in the environment or in the file .env in its folder',
        '  line  7  accounts[0].packages[1]: 0 is not valid; ' +
          'expected a package id (a whole number from 1 up) or { id, name, schedule }',
        '  line  9  accounts[0].limits.per_secnd: unknown key; did you mean per_second?',
        '  line 10  accounts[0].limits.per_minute: -1 is not valid; expected a whole number from 1 up, or null',
      ].join('\n'),
    );
  });

  test('are sorted by the order of the file, missing top-level keys first', () => {
    expect(readProblems('walk: { removal_brake: 2 }\nschedule: { full: x }\n')).toEqual([
      'timezone: missing; expected an IANA time zone such as Asia/Seoul',
      'accounts: missing; expected a list of at least one account',
      'line 1  walk.removal_brake: 2 is not valid; expected a number from 0 to 1',
      'line 2  schedule.full: "x" is not valid; expected a cron expression of five fields, not 1: ' +
        'minute, hour, day of the month, month, day of the week, such as "0 * * * *"',
    ]);
  });

  test('have the line of the mapping where a key is missing', () => {
    expect(readProblems(LEAST.replace(', key: first-key', ''))).toEqual([
      expect.stringMatching(/^line 4 {2}accounts\[0\]\.video_list\.key: missing; expected a key/),
    ]);
  });

  test('have the line of the wrong value behind an alias', () => {
    const yaml = `${LEAST}    limits: &limits\n      per_day: 0\n  - name: b\n    video_list: { base_url: http://v, key: key-b }
    packages: [1]\n    limits: *limits\n`;
    expect(readProblems(yaml)).toEqual([
      'line 7  accounts[0].limits.per_day: 0 is not valid; expected a whole number from 1 up, or null',
      'line 7  accounts[1].limits.per_day: 0 is not valid; expected a whole number from 1 up, or null',
    ]);
  });
});

describe('an unknown key', () => {
  test.each([
    ['notfy', 'did you mean notify?'],
    ['timeZone', /set twice|did you mean timezone\?/],
    ['Walk', 'did you mean walk?'],
    ['zebra', 'expected one of warehouse, timezone, duration_unit,'],
  ])('%s is reported with the nearest known one', (name, advice) => {
    expect(readProblems(`${LEAST}${name}: 1\n`)[0]).toMatch(advice);
  });

  test('next to a missing one is reported as the probable spelling of that one', () => {
    const storage = '    storage: { base_url: http://r, auth: { heade: x } }\n';
    expect(readProblems(LEAST.replace('101', '{ name: x }') + storage)).toEqual([
      'line 5  accounts[0].packages[0].id: missing; expected a package id (a whole number from 1 up)',
      'line 6  accounts[0].storage.auth.header: missing; expected the name of an HTTP header such as x-api-key, and not one that HTTP itself uses',
      'line 6  accounts[0].storage.auth.heade: unknown key; did you mean header?',
    ]);
  });

  test('that is set twice is reported with its line', () => {
    expect(readProblems(`${LEAST}walk: {}\nretention: {}\nwalk: {}\n`)[0]).toMatch(
      /^line 8 .*each name once/,
    );
  });
});

describe('rules across values', () => {
  const account = (name: string, more = '    packages: [1]\n') =>
    `  - name: ${name}\n    video_list: { base_url: http://v, key: key-${name[0]} }\n${more}`;
  const idle = 'has nothing to fetch; expected at least one of packages, storage';

  test.each([
    ['two accounts with one name', LEAST + account('main'), ['accounts[1].name: "main" is taken']],
    [
      'a former name that is used, or twice',
      LEAST +
        ['b\n    was: main', 'c\n    was: old', 'd\n    was: old'].map((each) => account(each)).join(''),
      ['accounts[1].was: "main" is', 'accounts[3].was: "old" is'],
    ],
    [
      'a key of two accounts',
      LEAST + account('b') + account('c').replace('key-c', 'key-b'),
      ['accounts[2].video_list.key: is that of accounts[1] too'],
    ],
    [
      'a package twice',
      LEAST.replace('101', '101, 102, { id: 101 }, 102'),
      [
        'accounts[0].packages[2].id: 101 is packages[0] too',
        'accounts[0].packages[3]: 102 is packages[1] too',
      ],
    ],
    ['an account without packages', LEAST.replace('    packages: [101]\n', ''), [`accounts[0]: ${idle}`]],
    ['an account with an empty list', LEAST.replace('[101]', '[]'), [`accounts[0]: ${idle}`]],
    ...['', '-wal', '-journal', '.worker.lock', '.restoring'].map((ending): [string, string, string[]] => [
      `a published file at the warehouse${ending}`,
      `${LEAST}publish: { file: ./data/vodhouse.db${ending} }\n`,
      ['publish.file: is the warehouse or a file that belongs to it'],
    ]),
    ...['0.0.0.0', '::', '192.0.2.7', 'warehouse.example.test', '127.example.test'].map(
      (host): [string, string, string[]] => [
        `a server without keys at ${host}`,
        `${LEAST}server: { host: "${host}" }\n`,
        [`server.host: "${host}" can be reached from other machines`],
      ],
    ),
  ])('%s', (_what, yaml, expected) => {
    const problems = readProblems(yaml);
    expect(
      problems.map((line, index) => line.replace(/^line +\d+ +/, '').slice(0, expected[index]?.length)),
    ).toEqual(expected);
  });
});

describe('a file that is not YAML', () => {
  test('has its first problem listed, which causes the others', () => {
    const csv = Array.from({ length: 2000 }, (_, row) => `${row},"title ${row}",x: y: z`).join('\n');
    expect(readProblems(csv)).toEqual([expect.stringMatching(/^line 1 {2}not valid YAML: /)]);
  });

  test.each([
    ['a: [1, 2\nb: 3\n', 'line 2', 'a bracket above is not closed'],
    ['a: 1\nb: @x\n', 'line 2', 'a value that begins with * & ! @ % , or ` needs quotes'],
    ['a: !x 1\n', 'line 1', 'a value that begins with * & ! @ % , or ` needs quotes'],
    ['a:\n  b: { c: ${D} }\n', 'line 2', '${NAME} inside of { }'],
    ['a: *b', '', 'a value that begins with * needs quotes'],
    ['a:\n\tb: 1\n\tc: 2\n\td: 3\n', 'line 2', 'indent by blanks'],
    ['a:\n  -\tb: 1\n    c: 2\n', 'line 2', 'indent by blanks'],
    ['a: >\n\tb\n', 'line 2', 'the indentation differs'],
    ['a 1\nb: 2\n', 'line 1', 'a blank after the colon'],
    ['b: 2\na 1\n', 'line 2', 'a blank after the colon'],
    ['a:1\nb: 2\n', 'line 1', 'a blank after the colon'],
    ['b:\n  - a: 1\n   c: 2\n', 'line 3', 'the indentation differs'],
    ['a: b: c\n', 'line 1', 'a value with a colon in it needs quotes'],
    ["a: 'it's'\n", 'line 1', 'a value with quotes or brackets in it needs quotes'],
    ['a: "x\nb: 1\n', 'line 3', 'the quote or bracket that ends a value'],
    ['a: "C:\\new"\n'.replace('\\n', '\\d'), 'line 1', 'in single quotes'],
    ['a: 1\na: 2\n', 'line 2', 'each name once'],
    ['a: 1\n---\na: 2\n', 'line 2', 'a second document begins here'],
    ['a: 1\n...\nb\n', 'line 3', 'a second document begins here'],
    ['a: &a { b: 1 }\nc:\n  <<: *a\n', 'line 3', 'a merge key (<<) is not supported'],
    ['a: 1\n[b, c]: 2\n', 'line 2', 'expected plain text'],
  ])('%j is one problem with its line, in plain words', (yaml, line, text) => {
    const problems = readProblems(yaml);
    expect(problems).toEqual([expect.stringContaining(text)]);
    expect(problems[0]).toMatch(new RegExp(`^${line}`));
  });
});

/** Nine values, nine times nine, and so on: one line per level, each nine times the previous one. */
function bomb(levels: number): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < levels; level++) {
    const nine = Array.from({ length: 9 }, () => `*a${level - 1}`);
    lines.push(`a${level}: &a${level} [${nine.join(', ')}]`);
  }
  return `${lines.join('\n')}\n`;
}

describe('aliases', () => {
  test('resolve to the last anchor of that name before them', () => {
    const yaml = `${LEAST}    limits: &l { per_day: 1 }\n  - name: b\n    video_list: { base_url: https://v.test, key: key-b }
    packages: [1]\n    limits: *l\n  - name: c\n    video_list: { base_url: https://v.test, key: key-c }
    packages: [1]\n    limits: &l { per_day: 2 }\n  - name: d\n    video_list: { base_url: https://v.test, key: key-d }
    packages: [1]\n    limits: *l\n`;
    expect(load(yaml).accounts.map(({ limits }) => limits.perDay)).toEqual([1, 1, 2, 2]);
  });

  test.each([
    ['expand to millions of values', bomb(9)],
    ['are nested in three hundred levels', bomb(300)],
  ])('are rejected immediately where they %s', (_what, yaml) => {
    const problems = inTime(() => readProblems(LEAST + yaml));
    expect(problems).toEqual([expect.stringContaining('values behind aliases')]);
  });
});

import { describe, expect, test } from 'vitest';
import { inTime } from '../support/time-limit.ts';
import { LEAST, load, readProblems } from '../support/fixtures/load-config.ts';

/** Nine values, nine times nine, and so on: one line per level, each nine times the previous one. */
function bomb(levels: number): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < levels; level++) {
    const nine = Array.from({ length: 9 }, () => `*a${level - 1}`);
    lines.push(`a${level}: &a${level} [${nine.join(', ')}]`);
  }
  return `${lines.join('\n')}\n`;
}

/** A config whose accounts share one mapping of limits. */
function sharing(accounts: number): string {
  const one = (index: number) =>
    [
      `  - name: a${index}`,
      '    video_list: { base_url: https://videos.example.test, key: k }',
      '    packages: [101]',
      index === 0 ? '    limits: &limits\n      per_day: 10' : '    limits: *limits',
    ].join('\n');
  return `timezone: Asia/Seoul\naccounts:\n${Array.from({ length: accounts }, (_, index) => one(index)).join('\n')}\n`;
}

describe('aliases', () => {
  test('resolve to their anchor', () => {
    const { accounts } = load(sharing(3));
    expect(accounts.map(({ limits }) => limits.perDay)).toEqual([10, 10, 10]);
  });

  test('resolve to the last anchor of that name before them', () => {
    const yaml = `${LEAST}    limits: &l { per_day: 1 }\n  - name: b\n    video_list: { base_url: https://v.test, key: k }
    packages: [1]\n    limits: *l\n  - name: c\n    video_list: { base_url: https://v.test, key: k }
    packages: [1]\n    limits: &l { per_day: 2 }\n  - name: d\n    video_list: { base_url: https://v.test, key: k }
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

describe('a config with a hundred thousand characters in one line', () => {
  test.each([
    ['braces', `a: ${'{'.repeat(150_000)}\n`],
    ['brackets', `a: ${'['.repeat(150_000)}\n`],
    ['starts of an address', `${LEAST}duration_unit: "${'://'.repeat(100_000)}"\n`],
    ['slashes', LEAST.replace('example.test', `example.test${'/'.repeat(400_000)}x/`)],
    ['starts of a variable', `${LEAST}warehouse: "${'${'.repeat(50_000)}"\n`],
    ['question marks', `${LEAST}duration_unit: "${'?a'.repeat(50_000)}"\n`],
  ])('is parsed in linear time where they are %s', (_what, yaml) => {
    const rejected = inTime(() => {
      try {
        load(yaml);
        return true;
      } catch (error) {
        return (error as Error).name === 'ConfigError';
      }
    });
    expect(rejected).toBe(true);
  });
});

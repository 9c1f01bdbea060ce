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

describe('aliases', () => {
  test('resolve to the last anchor of that name before them', () => {
    const yaml = `${LEAST}    limits: &l { per_day: 1 }\n  - name: b\n    video_list: { base_url: https://v.test, key: k }
    packages: [1]\n    limits: *l\n  - name: c\n    video_list: { base_url: https://v.test, key: kc }
    packages: [1]\n    limits: &l { per_day: 2 }\n  - name: d\n    video_list: { base_url: https://v.test, key: kd }
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

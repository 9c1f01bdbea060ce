import { expect, it } from 'vitest';
import { createPlan } from '../../../src/capacity/plan-report.ts';
import { planText } from '../../../src/cli/output/plan-text.ts';
import { toMs } from '../../support/clocks/virtual-clock.ts';
import { load } from '../../support/fixtures/load-config.ts';

/** A config with this number of accounts; the last one may send one request a day. */
const withAccounts = (count: number) =>
  load(
    `timezone: Asia/Seoul\naccounts:\n${Array.from(
      { length: count },
      (_, index) => `  - name: a${index}
    video_list: { base_url: http://v, key: key-of-${index} }
    packages: [1]
    limits: { per_day: ${index === count - 1 ? 1 : 20_000} }\n`,
    ).join('')}`,
  );

it('the plan of more than forty accounts has those first that do not fit, and the number of those left out', () => {
  const text = planText(createPlan(withAccounts(42), toMs('2026-03-10T12:00Z')), 'vodhouse.yaml');
  const [headline, first] = text.split('\n');
  expect(headline).toContain('does not fit');
  expect(first).toMatch(/^ {2}a41: /);
  expect(text).toContain('and 2 more: vodhouse plan --json');
  expect(text).not.toContain('a40');
  const few = planText(createPlan(withAccounts(40), toMs('2026-03-10T12:00Z')), 'vodhouse.yaml');
  expect(few.split('\n')[1]).toMatch(/^ {2}a0: /);
  expect(few).not.toContain('more: ');
});

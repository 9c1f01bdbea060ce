import { describe, expect, it } from 'vitest';
import type { HealthFacts } from '../../src/health/facts.ts';
import { findProblems } from '../../src/health/catalogue.ts';
import { listItems } from '../../src/health/items.ts';
import { getOverallStatus } from '../../src/health/overall-status.ts';
import { ENDED_RUN, EVERY_PROBLEM, staleStream } from '../support/fixtures/every-problem.ts';
import { FRESH_PACKAGE, healthFacts } from '../support/fixtures/health-facts.ts';

const RUNNING = { ...ENDED_RUN, status: 'running' as const };
const freshStream = { ...staleStream(101), isStale: false };
const READ = { packages: [FRESH_PACKAGE], streams: [freshStream], runs: [ENDED_RUN] };
const unread = { ...FRESH_PACKAGE, package_id: 102, walked_at: null };
const UNREAD = { packages: [unread], streams: [staleStream(102, null)], isFirstReadDue: false };

function getStatus(changes: Partial<HealthFacts>) {
  const facts = healthFacts(changes);
  const items = listItems(
    findProblems(facts).filter(({ isFading }) => !isFading),
    facts.formatCommand,
  );
  return getOverallStatus({ ...facts, items });
}

describe('the overall status', () => {
  it.each<[level: string, text: RegExp, facts: Partial<HealthFacts>]>([
    ['well', /^The only package is fresh; last full walk 14 min ago$/, READ],
    ['well', /^All 2 packages are fresh; /, { ...READ, packages: [FRESH_PACKAGE, FRESH_PACKAGE] }],
    [
      'well',
      /walk just now$/,
      { ...READ, packages: [{ ...FRESH_PACKAGE, walked_at: '2026-03-10 12:05:00' }] },
    ],
    ['well', /^The storage is fresh$/, { ...READ, packages: [] }],
    ['new', /^Nothing was synced yet$/, { ...UNREAD, runs: [] }],
    ['new', /^Nothing was synced yet$/, { ...UNREAD, runs: [{ ...ENDED_RUN, status: 'parked' }] }],
    ['new', /^The first load has read 0 of 1 package$/, { ...UNREAD, runs: [RUNNING] }],
    [
      'new',
      /^The first load has read 1 of 2 packages$/,
      { ...UNREAD, packages: [FRESH_PACKAGE, unread], runs: [RUNNING] },
    ],
    [
      'attention',
      /^Storage of main: .* \(since 2026-03-08 17:00:00 UTC\)$/,
      { ...READ, ...EVERY_PROBLEM['gap'] },
    ],
    ['failing', /^main\/101 .*is stale/, { ...READ, ...EVERY_PROBLEM['stale'] }],
    [
      'failing',
      /^main\/101 .*could not be read/,
      { ...READ, ...EVERY_PROBLEM['gap'], ...EVERY_PROBLEM['failed'] },
    ],
    ['failing', /^The service of main does not answer/, { ...READ, ...EVERY_PROBLEM['account_failed'] }],
    ['failing', /^Run 2 failed/, { ...UNREAD, ...EVERY_PROBLEM['run_failed'] }],
  ])('is %s: %s', (level, text, facts) => {
    expect(getStatus(facts)).toMatchObject({ level, text: expect.stringMatching(text) as string });
  });

  it('names what still works, and how much more needs attention', () => {
    const packages = [FRESH_PACKAGE, { ...FRESH_PACKAGE, package_id: 102, stale: true }];
    const problems = { ...EVERY_PROBLEM['gap'], ...EVERY_PROBLEM['drift'] };
    expect(getStatus({ ...READ, packages, ...problems }).more).toBe(
      '1 of 2 packages are fresh; 1 more item below',
    );
  });
});

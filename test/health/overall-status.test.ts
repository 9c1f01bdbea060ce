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
    ['good', /^The only package is fresh; last full walk 14 min ago$/, READ],
    ['good', /^All 2 packages fresh; /, { ...READ, packages: [FRESH_PACKAGE, FRESH_PACKAGE] }],
    [
      'good',
      /walk just now$/,
      { ...READ, packages: [{ ...FRESH_PACKAGE, walked_at: '2026-03-10 12:05:00' }] },
    ],
    ['good', /^The storage is fresh$/, { ...READ, packages: [] }],
    ['new', /^Nothing was synced yet$/, { ...UNREAD, runs: [] }],
    ['new', /^Nothing was synced yet$/, { ...UNREAD, runs: [{ ...ENDED_RUN, status: 'parked' }] }],
    ['new', /^First load: 0 of 1 package read$/, { ...UNREAD, runs: [RUNNING] }],
    [
      'new',
      /^First load: 1 of 2 packages read$/,
      { ...UNREAD, packages: [FRESH_PACKAGE, unread], runs: [RUNNING] },
    ],
    ['warn', /^Storage of main: /, { ...READ, ...EVERY_PROBLEM['gap'] }],
    ['warn', /; 1 more item below$/, { ...READ, ...EVERY_PROBLEM['gap'], ...EVERY_PROBLEM['drift'] }],
    ['bad', /^main\/101 .*is stale/, { ...READ, ...EVERY_PROBLEM['stale'] }],
    ['bad', /^main\/101 .*failed: /, { ...READ, ...EVERY_PROBLEM['gap'], ...EVERY_PROBLEM['failed'] }],
    ['bad', /^Account main failed: .* \(50 packages\)$/, { ...READ, ...EVERY_PROBLEM['account_failed'] }],
    ['bad', /^Run 2 failed: /, { ...UNREAD, ...EVERY_PROBLEM['run_failed'] }],
  ])('is %s: %s', (level, text, facts) => {
    expect(getStatus(facts)).toEqual({ level, text: expect.stringMatching(text) as string });
  });
});

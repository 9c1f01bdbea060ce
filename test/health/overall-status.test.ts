import { describe, expect, it } from 'vitest';
import type { HealthFacts, PackageReport, StorageReport } from '../../src/health/facts.ts';
import { getOverallStatus } from '../../src/health/overall-status.ts';
import { createProblem, type Problem } from '../../src/health/problem-kinds.ts';
import { findProblems } from '../../src/health/problems.ts';
import { FRESH_PACKAGE, healthFacts } from '../support/fixtures/health-facts.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

const NOW = toMs('2026-03-10T12:00:00Z');

const fresh = FRESH_PACKAGE;
const stale: PackageReport = { ...fresh, stale: true, walked_at: '2026-03-10 07:00:00' };
const never: PackageReport = { ...fresh, stale: true, walked_at: null, last_walk: null };

const freshStorage: StorageReport = {
  account: 'main',
  read_at: '2026-03-10 11:45:00',
  booked_through: '2026-03-09',
  gaps: 0,
  gaps_given_up: 0,
  waiting: [],
  discrepancies: [],
  stale: false,
};
const staleStorage: StorageReport = { ...freshStorage, stale: true, read_at: '2026-03-10 05:00:00' };
const unreadStorage: StorageReport = { ...freshStorage, stale: true, read_at: null, booked_through: null };

type Runs = HealthFacts['runs'];
const run = (status: Runs[number]['status']): Runs => [{ status } as Runs[number]];
const needs = (number: number): Problem[] =>
  Array.from({ length: number }, (_, index) => createProblem({ kind: 'drift', message: `need ${index}` }));

interface Facts {
  packages?: PackageReport[];
  storage?: StorageReport[];
  runs?: Runs;
  /** Replaces all problems that are not bad. */
  needs?: Problem[];
}

function getStatus(
  { packages = [], storage = [], runs = run('succeeded'), needs: others = [] }: Facts,
  isLoading = false,
): [level: string, text: string] {
  const ofPackages = packages.map((row) => ({
    ...{ account: row.account, packageId: row.package_id, name: row.name, stream: 'videos' as const },
    ...{ at: row.walked_at, isStale: row.stale, videos: row.videos },
  }));
  const ofStorage = storage.map((row) => ({
    ...{ account: row.account, packageId: null, name: null, stream: 'storage' as const },
    ...{ at: row.read_at, isStale: row.stale, videos: null },
  }));
  const failedWalks = packages
    .filter(({ last_walk }) => last_walk === 'failed')
    .map(({ account, package_id }) => ({
      ...{ account, package_id, walk_id: 1, error: null, since: '2026-03-10 11:00:00', failures: 1 },
    }));
  const facts = { packages, storage, runs, failedWalks, streams: [...ofPackages, ...ofStorage] };
  const bad = findProblems(healthFacts(facts)).filter(({ severity }) => severity === 'bad');
  const problems = [...bad.filter(({ kind }) => !isLoading || kind !== 'never_read'), ...others];
  const { level, text } = getOverallStatus({ packages, storage, problems }, NOW, isLoading);
  return [level, text];
}

describe('where all is fresh', () => {
  it('the status is good, with the time of the last walk', () => {
    expect(getStatus({ packages: [fresh] })).toEqual([
      'good',
      'The only package is fresh; last full walk 14 min ago',
    ]);
    const later = { ...fresh, walked_at: '2026-03-10 11:59:30' };
    const many = [fresh, later, ...Array.from({ length: 1_198 }, () => fresh)];
    expect(getStatus({ packages: many, storage: [freshStorage] })).toEqual([
      'good',
      'All 1,200 packages fresh; last full walk just now',
    ]);
  });

  it('a walk whose end is in the future ended just now', () => {
    const ahead = { ...fresh, walked_at: '2026-03-10 12:05:00' };
    expect(getStatus({ packages: [ahead] })).toEqual([
      'good',
      'The only package is fresh; last full walk just now',
    ]);
  });

  it('a status without packages is not stale', () => {
    expect(getStatus({ storage: [freshStorage] })).toEqual(['good', 'No packages are configured']);
  });

  it('the status counts the problems that need a person', () => {
    const packages = [fresh, fresh];
    const text = 'All 2 packages fresh; last full walk 14 min ago';
    expect(getStatus({ packages, needs: needs(1) })).toEqual(['warn', `${text}; 1 item needs attention`]);
    expect(getStatus({ packages, needs: needs(1_234) })).toEqual([
      'warn',
      `${text}; 1,234 items need attention`,
    ]);
  });

  it('the status is bad after a failed run or walk, and not after an incomplete one', () => {
    const text = 'All 2 packages fresh; last full walk 14 min ago; 1 item needs attention';
    const packages = [fresh, fresh];
    expect(getStatus({ packages, needs: needs(1), runs: run('failed') })).toEqual([
      'bad',
      'The last run failed; last full walk 14 min ago',
    ]);
    expect(getStatus({ packages, needs: needs(1), runs: [...run('succeeded'), ...run('failed')] })).toEqual([
      'warn',
      text,
    ]);
    const failed = { ...fresh, package_id: 102, last_walk: 'failed' as const };
    expect(getStatus({ packages: [fresh, failed], needs: needs(1), runs: run('failed') })).toEqual([
      'bad',
      'The last walk of 1 package failed; last full walk 14 min ago',
    ]);
    for (const last_walk of ['partial', 'interrupted', 'parked', 'running'] as const) {
      expect(getStatus({ packages: [fresh, { ...fresh, last_walk }], needs: needs(1) })).toEqual([
        'warn',
        text,
      ]);
    }
  });
});

describe('where packages are stale', () => {
  it.each<[packages: PackageReport[], text: string]>([
    [[stale], 'The only package is stale; the oldest was last walked 5 h ago'],
    [[fresh, stale, fresh], '1 of 3 packages is stale; the oldest was last walked 5 h ago'],
    [
      [stale, fresh, { ...stale, walked_at: '2026-03-07 12:00:00' }],
      '2 of 3 packages are stale; the oldest was last walked 3 days ago',
    ],
    [[stale, stale], '2 of 2 packages are stale; the oldest was last walked 5 h ago'],
    [[fresh, never], '1 of 2 packages is stale; 1 has had no full walk yet'],
    [
      [stale, never, never, fresh],
      '3 of 4 packages are stale; the oldest was last walked 5 h ago; 2 have had no full walk yet',
    ],
  ])('the status has their number and since when (%#)', (packages, text) => {
    expect(getStatus({ packages, storage: [freshStorage] })).toEqual(['bad', text]);
    expect(getStatus({ packages, storage: [freshStorage], needs: needs(3) })).toEqual(['bad', text]);
  });

  it('stale storage follows them, by its accounts', () => {
    const other = { ...staleStorage, account: 'other' };
    expect(getStatus({ packages: [stale], storage: [staleStorage, freshStorage, other] })).toEqual([
      'bad',
      'The only package is stale; the oldest was last walked 5 h ago; storage of main, other is stale',
    ]);
    expect(getStatus({ packages: [fresh, fresh], storage: [other] })).toEqual([
      'bad',
      'All 2 packages fresh; storage of other is stale; last full walk 14 min ago',
    ]);
    expect(getStatus({ packages: [fresh], storage: [unreadStorage] })).toEqual([
      'bad',
      'The only package is fresh; storage of main is stale; last full walk 14 min ago',
    ]);
  });

  it('they stay stale while a run is under way', () => {
    expect(getStatus({ packages: [stale, never], storage: [staleStorage] }, true)).toEqual([
      'bad',
      '1 of 2 packages is stale; the oldest was last walked 5 h ago; storage of main is stale',
    ]);
  });
});

describe('before the first read', () => {
  const unread = { packages: [never, never], storage: [unreadStorage] };

  it('the status is new, until a run has failed', () => {
    expect(getStatus({ ...unread, runs: [] })).toEqual(['new', 'Nothing was synced yet']);
    expect(getStatus({ ...unread, runs: run('parked'), needs: needs(2) })).toEqual([
      'new',
      'Nothing was synced yet',
    ]);
    expect(getStatus({ ...unread, runs: run('failed') })).toEqual([
      'bad',
      '2 of 2 packages are stale; 2 have had no full walk yet; storage of main is stale',
    ]);
  });

  it('the status is not new once storage was read', () => {
    expect(getStatus({ packages: [never], storage: [freshStorage] })).toEqual([
      'bad',
      'The only package is stale; 1 has had no full walk yet',
    ]);
  });

  it('the first load counts the packages that are read, and reports none of the others as stale', () => {
    const runs = run('running');
    expect(getStatus({ ...unread, runs }, true)).toEqual(['new', 'First load: 0 of 2 packages read']);
    expect(getStatus({ packages: [fresh, never], storage: [unreadStorage], runs }, true)).toEqual([
      'new',
      'First load: 1 of 2 packages read',
    ]);
    expect(getStatus({ packages: [never], runs }, true)).toEqual(['new', 'First load: 0 of 1 package read']);
  });

  it('the first load ends with the last package', () => {
    expect(
      getStatus({ packages: [fresh, fresh], storage: [unreadStorage], runs: run('running') }, true),
    ).toEqual(['good', 'All 2 packages fresh; last full walk 14 min ago']);
  });
});

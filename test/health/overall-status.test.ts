import { describe, expect, it } from 'vitest';
import type { PackageReport, Standing, StorageReport } from '../../src/health/report.ts';
import { getOverallStatus } from '../../src/health/overall-status.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

const NOW = toMs('2026-03-10T12:00:00Z');

const fresh: PackageReport = {
  account: 'main',
  package_id: 101,
  name: null,
  videos: 10,
  pages: 1,
  walked_at: '2026-03-10 11:46:00',
  order: 'trusted',
  held_back: 0,
  stale: false,
  last_walk: 'succeeded',
  last_error: null,
};
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

const run = (status: Standing['runs'][number]['status']): Standing['runs'] => [
  { status } as Standing['runs'][number],
];
const needs = (number: number): Standing['needs'] =>
  Array.from({ length: number }, (_, index) => ({ words: `need ${index}`, details: [], advice: [] }));

function verdict(
  facts: Partial<Pick<Standing, 'packages' | 'storage' | 'needs' | 'runs'>>,
  isUnderWay = false,
): [level: string, words: string] {
  const standing = { packages: [], storage: [], needs: [], runs: run('succeeded'), ...facts };
  const { level, words } = getOverallStatus(standing as unknown as Standing, NOW, isUnderWay);
  return [level, words];
}

describe('where all is fresh', () => {
  it('the verdict is good, and says when a package was walked last', () => {
    expect(verdict({ packages: [fresh] })).toEqual([
      'good',
      'The only package is fresh; last full walk 14 min ago',
    ]);
    const later = { ...fresh, walked_at: '2026-03-10 11:59:30' };
    const many = [fresh, later, ...Array.from({ length: 1_198 }, () => fresh)];
    expect(verdict({ packages: many, storage: [freshStorage] })).toEqual([
      'good',
      'All 1,200 packages fresh; last full walk just now',
    ]);
  });

  it('a walk that the clock does not know yet ended just now', () => {
    const ahead = { ...fresh, walked_at: '2026-03-10 12:05:00' };
    expect(verdict({ packages: [ahead] })).toEqual([
      'good',
      'The only package is fresh; last full walk just now',
    ]);
  });

  it('no package is none that is stale', () => {
    expect(verdict({ storage: [freshStorage] })).toEqual(['good', 'No packages are configured']);
  });

  it('the verdict counts what needs a person', () => {
    const packages = [fresh, fresh];
    const words = 'All 2 packages fresh; last full walk 14 min ago';
    expect(verdict({ packages, needs: needs(1) })).toEqual(['look', `${words}; 1 thing needs a person`]);
    expect(verdict({ packages, needs: needs(1_234) })).toEqual([
      'look',
      `${words}; 1,234 things need a person`,
    ]);
  });

  it('the verdict is bad after a run or a walk that failed, and not after one that was not whole', () => {
    const words = 'All 2 packages fresh; last full walk 14 min ago; 1 thing needs a person';
    const packages = [fresh, fresh];
    expect(verdict({ packages, needs: needs(1), runs: run('failed') })).toEqual([
      'bad',
      'The last run failed; last full walk 14 min ago',
    ]);
    expect(verdict({ packages, needs: needs(1), runs: [...run('succeeded'), ...run('failed')] })).toEqual([
      'look',
      words,
    ]);
    const failed = { ...fresh, last_walk: 'failed' };
    expect(verdict({ packages: [fresh, failed], needs: needs(1), runs: run('failed') })).toEqual([
      'bad',
      'The last walk of 1 package failed; last full walk 14 min ago',
    ]);
    for (const last_walk of ['partial', 'interrupted', 'parked', 'running']) {
      expect(verdict({ packages: [fresh, { ...fresh, last_walk }], needs: needs(1) })).toEqual([
        'look',
        words,
      ]);
    }
  });
});

describe('where packages are stale', () => {
  it.each<[packages: PackageReport[], words: string]>([
    [[stale], 'The only package is stale; the oldest was last walked 5 h ago'],
    [[fresh, stale, fresh], '1 of 3 packages is stale; the oldest was last walked 5 h ago'],
    [
      [stale, fresh, { ...stale, walked_at: '2026-03-07 12:00:00' }],
      '2 of 3 packages are stale; the oldest was last walked 3 days ago',
    ],
    [[stale, stale], '2 of 2 packages are stale; the oldest was last walked 5 h ago'],
    [[fresh, never], '1 of 2 packages is stale; 1 was never walked whole'],
    [
      [stale, never, never, fresh],
      '3 of 4 packages are stale; the oldest was last walked 5 h ago; 2 were never walked whole',
    ],
  ])('the verdict says how many, and since when (%#)', (packages, words) => {
    expect(verdict({ packages, storage: [freshStorage] })).toEqual(['bad', words]);
    expect(verdict({ packages, storage: [freshStorage], needs: needs(3) })).toEqual(['bad', words]);
  });

  it('storage that is stale stands behind them, by its accounts', () => {
    const other = { ...staleStorage, account: 'other' };
    expect(verdict({ packages: [stale], storage: [staleStorage, freshStorage, other] })).toEqual([
      'bad',
      'The only package is stale; the oldest was last walked 5 h ago; storage of main, other is stale',
    ]);
    expect(verdict({ packages: [fresh, fresh], storage: [other] })).toEqual([
      'bad',
      'All 2 packages fresh; storage of other is stale; last full walk 14 min ago',
    ]);
    expect(verdict({ packages: [fresh], storage: [unreadStorage] })).toEqual([
      'bad',
      'The only package is fresh; storage of main is stale; last full walk 14 min ago',
    ]);
  });

  it('they stay so while a run is under way', () => {
    expect(verdict({ packages: [stale, never], storage: [staleStorage] }, true)).toEqual([
      'bad',
      '1 of 2 packages is stale; the oldest was last walked 5 h ago; storage of main is stale',
    ]);
  });
});

describe('before anything was read', () => {
  const unread = { packages: [never, never], storage: [unreadStorage] };

  it('the verdict is new, until a run has failed', () => {
    expect(verdict({ ...unread, runs: [] })).toEqual(['new', 'Nothing has been read yet']);
    expect(verdict({ ...unread, runs: run('parked'), needs: needs(2) })).toEqual([
      'new',
      'Nothing has been read yet',
    ]);
    expect(verdict({ ...unread, runs: run('failed') })).toEqual([
      'bad',
      '2 of 2 packages are stale; 2 were never walked whole; storage of main is stale',
    ]);
  });

  it('nothing is new any more once storage was read', () => {
    expect(verdict({ packages: [never], storage: [freshStorage] })).toEqual([
      'bad',
      'The only package is stale; 1 was never walked whole',
    ]);
  });

  it('the first load counts the packages that it has read, and calls none of the others stale', () => {
    const runs = run('running');
    expect(verdict({ ...unread, runs }, true)).toEqual(['new', 'First load: 0 of 2 packages read']);
    expect(verdict({ packages: [fresh, never], storage: [unreadStorage], runs }, true)).toEqual([
      'new',
      'First load: 1 of 2 packages read',
    ]);
    expect(verdict({ packages: [never], runs }, true)).toEqual(['new', 'First load: 0 of 1 package read']);
  });

  it('the first load is over with the last package', () => {
    expect(
      verdict({ packages: [fresh, fresh], storage: [unreadStorage], runs: run('running') }, true),
    ).toEqual(['good', 'All 2 packages fresh; last full walk 14 min ago']);
  });
});

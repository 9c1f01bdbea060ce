import type { Config } from '../../src/config/config.ts';
import { describe, expect, it } from 'vitest';
import type { RunningRun } from '../../src/queries/page-queries.ts';
import type { RunningWalk } from '../../src/queries/named/status.ts';
import type { ChangeMarker } from '../../src/queries/named/videos.ts';
import { countRunPackages, toRunProgress, toChangeMarker } from '../../src/web/views/run-progress.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

const NOW = toMs('2026-03-10T12:00:00Z');

const walk: RunningWalk = {
  walk_id: 7,
  run_id: 3,
  account: 'main',
  package_id: 101,
  name: 'Lectures',
  mode: 'full',
  started_at: '2026-03-10 11:59:00',
  pages: 0,
  totalcount: null,
  page_size: null,
  checkpoint_page: null,
};

const run = (row: Partial<RunningRun> = {}): RunningRun => ({
  run_id: 3,
  trigger: 'schedule',
  mode: 'full',
  status: 'running',
  started_at: '2026-03-10 11:58:30',
  finished_at: null,
  requests: 0,
  error: null,
  scope: null,
  resume_at: null,
  origin_started_at: null,
  clock_offset_ms: null,
  walks: 0,
  failed_walks: 0,
  inserted: 0,
  updated: 0,
  removed: 0,
  restored: 0,
  quarantined: 0,
  walked: 0,
  running_walks: [],
  ...row,
});

describe('the progress of a run', () => {
  it("has the run's number, duration and number of walked packages", () => {
    expect(toRunProgress(run({ walked: 4, trigger: 'catch_up' }), 20, NOW)).toEqual({
      run_id: 3,
      mode: 'full',
      trigger: 'catch_up',
      started_at: '2026-03-10 11:58:30',
      elapsedMs: 90_000,
      packages: { done: 4, all: 20 },
      walks: [],
    });
  });

  it('counts no packages of a quick run, or of a partial one', () => {
    expect(toRunProgress(run({ mode: 'quick', walked: 4 }), 20, NOW).packages).toBeNull();
    expect(toRunProgress(run({ scope: 'package 101', walked: 1 }), 20, NOW).packages).toBeNull();
  });

  it('never exceeds its end, also where packages left the config since, nor begins in the future', () => {
    const ahead = run({ walked: 5, started_at: '2026-03-10 12:00:01' });
    expect(toRunProgress(ahead, 3, NOW)).toMatchObject({ elapsedMs: 0, packages: { done: 3, all: 3 } });
    expect(toRunProgress(run(), 0, NOW).packages).toEqual({ done: 0, all: 0 });
  });
});

describe('the progress of a walk', () => {
  const formatPages = (row: Partial<RunningWalk>) =>
    toRunProgress(run({ running_walks: [{ ...walk, ...row }] }), 1, NOW).walks[0]?.pages;

  it('has its package, in the order of their beginnings', () => {
    const running_walks = [walk, { ...walk, account: 'other', package_id: 7, name: null }];
    expect(toRunProgress(run({ running_walks }), 2, NOW).walks).toEqual([
      { account: 'main', package_id: 101, name: 'Lectures', pages: null },
      { account: 'other', package_id: 7, name: null, pages: null },
    ]);
  });

  it('is unknown before its first response is stored, and always of a quick walk', () => {
    expect(formatPages({})).toBeNull();
    expect(formatPages({ totalcount: 950, page_size: 100 })).toBeNull();
    expect(formatPages({ totalcount: 950, page_size: 0, checkpoint_page: 1 })).toBeNull();
    expect(formatPages({ totalcount: null, page_size: 100, checkpoint_page: 1 })).toBeNull();
    expect(formatPages({ mode: 'quick', totalcount: 950, page_size: 100, checkpoint_page: 10 })).toBeNull();
  });

  it.each([
    [10, 1],
    [9, 2],
    [2, 9],
    [1, 10],
    [0, 10],
  ])(
    'with page %i of ten stored counts %i pages, because it reads from the last to the first',
    (page, done) => {
      expect(formatPages({ totalcount: 950, page_size: 100, checkpoint_page: page })).toEqual({
        done,
        all: 10,
      });
    },
  );

  it('starts from scratch where the package shrank, and never counts below zero', () => {
    expect(formatPages({ totalcount: 950, page_size: 100, checkpoint_page: 11 })).toEqual({
      done: 0,
      all: 10,
    });
    expect(formatPages({ totalcount: 950, page_size: 100, checkpoint_page: 40 })).toEqual({
      done: 0,
      all: 10,
    });
  });

  it('has one page where the list is empty', () => {
    expect(formatPages({ totalcount: 0, page_size: 100, checkpoint_page: 1 })).toEqual({ done: 1, all: 1 });
  });
});

describe('the stamp', () => {
  const stamp: ChangeMarker = {
    change_seq: 40,
    last_run: 2,
    last_reading: 9,
    restricted_until: '2026-03-10 11:00:00',
    last_load: null,
  };
  const quiet = toChangeMarker(stamp, null, NOW);

  it('does not change while nothing happens, however late it is', () => {
    expect(toChangeMarker({ ...stamp }, null, NOW + 86_400_000)).toBe(quiet);
    expect(toChangeMarker(stamp, run(), NOW + 4_999)).toBe(toChangeMarker(stamp, run(), NOW));
  });

  it.each<[what: string, other: Partial<ChangeMarker>]>([
    ['a row changes', { change_seq: 41 }],
    ['a run ends', { last_run: 3 }],
    ['storage is read', { last_reading: 10 }],
    ['an account is restricted', { restricted_until: '2026-03-10 12:30:00' }],
    ['there is no restriction any more', { restricted_until: null }],
    ['a target was loaded', { last_load: '2026-03-10 12:00:00' }],
  ])('changes where %s', (_what, other) => {
    expect(toChangeMarker({ ...stamp, ...other }, null, NOW)).not.toBe(quiet);
  });

  it('changes where a run begins, and every five seconds while it is under way: not with each page', () => {
    const running = toChangeMarker(stamp, run(), NOW);
    expect(running).not.toBe(quiet);
    expect(toChangeMarker({ ...stamp, change_seq: 999 }, run({ walked: 9 }), NOW + 4_999)).toBe(running);
    expect(toChangeMarker(stamp, run(), NOW + 5_000)).not.toBe(running);
    expect(toChangeMarker(stamp, run({ run_id: 4 }), NOW)).not.toBe(running);
    expect(toChangeMarker({ ...stamp, last_reading: 10 }, run(), NOW)).not.toBe(running);
  });

  it('is one word, in an empty file too', () => {
    const none: ChangeMarker = {
      change_seq: 0,
      last_run: null,
      last_reading: null,
      restricted_until: null,
      last_load: null,
    };
    expect(quiet).toMatch(/^\S+$/);
    expect(toChangeMarker(none, null, NOW)).toMatch(/^\S+$/);
    expect(toChangeMarker({ ...none, last_run: 1 }, null, NOW)).not.toBe(
      toChangeMarker({ ...none, last_reading: 1 }, null, NOW),
    );
  });
});

describe('the packages of a run', () => {
  it('are those without their own schedule, and all of them in a run that a person made', () => {
    const packages = [
      { id: 101, name: null },
      { id: 102, name: null, full: '0 3 * * 0' },
    ];
    const accounts = [{ packages }] as unknown as Config['accounts'];
    expect(countRunPackages(accounts, { trigger: 'schedule' })).toBe(1);
    expect(countRunPackages(accounts, { trigger: 'manual' })).toBe(2);
  });
});

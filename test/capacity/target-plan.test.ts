import { describe, expect, it } from 'vitest';
import { createTargetPlans, planLakeLoad, planLoad } from '../../src/capacity/target-plan.ts';
import { liveFileWith, packageRow, videoRow } from '../support/fixtures/filled-live-file.ts';
import { createLakeConfig, createTargetConfig } from '../support/fixtures/target-config.ts';
import { createTestConfig } from '../support/fixtures/test-config.ts';
import { execute } from '../support/fixtures/live-file.ts';

const size = {
  ...{ account: 'main', lastChange: 1_100, videos: 1_000, states: 1_100, days: 10 },
  ...{ stateBytes: 500, tagsPerVideo: 2, months: 3 },
};

describe('the plan of a load', () => {
  it('is everything where nothing is loaded yet', () => {
    expect(planLoad(size, null)).toEqual({
      ...{ account: 'main', load: 'first', changes: 1_100, rows: 1_100 + 2_000 + 10 },
      bytes: 1_100 * 500 + 2_000 * 40 + 10 * 150,
      files: null,
    });
  });

  it('is at most both states of each change, and its tags', () => {
    expect(planLoad(size, 1_090)).toEqual({
      ...{ account: 'main', load: 'changes', changes: 10, rows: 40, bytes: 10_000 + 800, files: null },
    });
  });

  it('is nothing where nothing changed', () => {
    expect(planLoad(size, 1_100)).toMatchObject({ load: 'none', changes: 0, rows: 0, bytes: 0 });
  });
});

describe('the plan of a load of a lake', () => {
  const plan = (
    mark: number | null,
    more: Partial<typeof size> = {},
    compression: 'snappy' | 'gzip' = 'snappy',
  ) => planLakeLoad({ ...size, ...more }, mark, { compression });

  it('is everything, compressed, with a file for each month of history', () => {
    const text = 1_100 * 500 + 2_000 * 40 + 10 * 150;
    expect(plan(null)).toEqual({
      ...{ account: 'main', load: 'first', changes: 1_100, rows: 1_100 + 2_000 + 10 },
      ...{ bytes: Math.round(text * 0.17), files: 1 + 1 + 3 + 5 },
    });
    expect(plan(null, {}, 'gzip').bytes).toBe(Math.round(text * 0.11));
  });

  it('is all videos again where one changed, and one more file of history', () => {
    expect(plan(1_099)).toMatchObject({
      load: 'changes',
      changes: 1,
      rows: 1_000 + 1 + 2_000 + 10,
      files: 8,
    });
    const many = { videos: 1_000_000, states: 1_000_000, lastChange: 1_000_000 };
    expect(plan(999_999, many)).toMatchObject({ rows: 1_000_000 + 2_000_000 + 10, files: 4 + 2 + 5 });
  });

  it('is nothing where nothing changed', () => {
    expect(plan(1_100)).toMatchObject({ load: 'none', rows: 0, bytes: 0, files: 0 });
  });
});

describe('the plans of targets', () => {
  function createParts() {
    const path = liveFileWith(packageRow(101), videoRow(1), videoRow(2), videoRow(3));
    const config = createTestConfig({ url: 'http://127.0.0.1:9' }, path);
    const targets = ['one', 'two'].map((name) => createTargetConfig('postgres://127.0.0.1/db', { name }));
    const publish = { file: `${path}.bi`, exclude: [], everyMs: 0, mode: 0o444, keepDays: 0, targets };
    return { path, config, publish };
  }

  it('count what the live file has, and what each target has of it', () => {
    const { path, config, publish } = createParts();
    execute(
      path,
      `update package set changed_seq = 9;
      insert into target_load (target, account, outcome, change_seq, attempted_at, loaded_at, loads, failures, rows, duration_ms,
          findings)
        values ('two', 'main', 'loaded', 8, '2026-03-01 12:00:00', '2026-03-01 12:00:00', 1, 0, 3, 1, '[]')`,
    );
    const lake = createLakeConfig('/srv/lake');
    const [one, two, three] = createTargetPlans({
      ...config,
      publish: { ...publish, targets: [...publish.targets, lake] },
    });
    expect([one?.files, three]).toMatchObject([null, { target: 'lake', files: 6, rows: 3 }]);
    expect(one).toMatchObject({ target: 'one', accounts: [{ account: 'main', load: 'first', rows: 3 }] });
    expect(one?.bytes).toBeGreaterThan(150);
    expect(two).toMatchObject({ rows: 2, accounts: [{ load: 'changes', changes: 1 }] });
  });

  it('are none where there is no file yet, or no target', () => {
    const { path, config, publish } = createParts();
    expect(createTargetPlans(config)).toEqual([]);
    expect(createTargetPlans({ ...config, publish, warehouse: `${path}.none` })).toEqual([]);
  });
});

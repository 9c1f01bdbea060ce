import { describe, expect, it } from 'vitest';
import { createTargetPlans, planLoad } from '../../src/capacity/target-plan.ts';
import { liveFileWith, packageRow, videoRow } from '../support/fixtures/filled-live-file.ts';
import { createTargetConfig } from '../support/fixtures/target-config.ts';
import { createTestConfig } from '../support/fixtures/test-config.ts';
import { execute } from '../support/fixtures/live-file.ts';

const size = {
  ...{ account: 'main', lastChange: 1_100, videos: 1_000, states: 1_100, days: 10 },
  ...{ stateBytes: 500, tagsPerVideo: 2 },
};

describe('the plan of a load', () => {
  it('is everything where nothing is loaded yet', () => {
    expect(planLoad(size, null)).toEqual({
      ...{ account: 'main', load: 'first', changes: 1_100, rows: 1_100 + 2_000 + 10 },
      bytes: 1_100 * 500 + 2_000 * 40 + 10 * 150,
    });
  });

  it('is at most both states of each change, and its tags', () => {
    expect(planLoad(size, 1_090)).toEqual({
      ...{ account: 'main', load: 'changes', changes: 10, rows: 40, bytes: 10_000 + 800 },
    });
  });

  it('is nothing where nothing changed', () => {
    expect(planLoad(size, 1_100)).toMatchObject({ load: 'none', changes: 0, rows: 0, bytes: 0 });
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
    const [one, two] = createTargetPlans({ ...config, publish });
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

import { describe, expect, it } from 'vitest';
import { isLoadDue } from '../../src/cli/load-after-run.ts';

const HOUR_MS = 3_600_000;
const times = {
  publishedAt: '2026-03-01 10:00:00',
  isNew: false,
  everyMs: 0,
  now: Date.parse('2026-03-01T12:00:00Z'),
};
const row = (
  loaded_at: string | null,
  outcome: 'loaded' | 'unchanged' | 'failed' = 'loaded',
  account = 'main',
) => ({
  ...{ target: 'warehouse', account, outcome, loaded_at },
});
const isDue = (rows: ReturnType<typeof row>[], changes: Partial<typeof times> = {}) =>
  isLoadDue(rows, ['main', 'lab'], { ...times, ...changes });

const AFTER = '2026-03-01 11:30:00';
const BEFORE = '2026-03-01 09:30:00';

describe('a load after a run', () => {
  it('is due where the target lacks something of the published file', () => {
    expect(isDue([])).toBe(true);
    expect(isDue([row(BEFORE)])).toBe(true);
    expect(isDue([row(AFTER)])).toBe(false);
    expect(isDue([row(AFTER), row(BEFORE, 'loaded', 'lab')])).toBe(true);
    expect(isDue([row(AFTER, 'failed')])).toBe(true);
    expect(isDue([row(null, 'failed')])).toBe(true);
    expect(isDue([row(AFTER), row(BEFORE, 'failed', '(runs)')])).toBe(true);
  });

  it('is due after each publication, whatever clock set its time', () => {
    expect(isDue([row(AFTER)], { isNew: true })).toBe(true);
  });

  it('does not depend on accounts that left the config', () => {
    expect(isDue([row(AFTER), row(BEFORE, 'loaded', 'gone')])).toBe(false);
  });

  it('waits for `every` of the target', () => {
    expect(isDue([row(AFTER)], { isNew: true, everyMs: HOUR_MS })).toBe(false);
    expect(isDue([row(AFTER)], { isNew: true, everyMs: HOUR_MS / 2 })).toBe(true);
    expect(isDue([row('2026-03-01 12:30:00')], { isNew: true, everyMs: HOUR_MS })).toBe(true);
  });
});

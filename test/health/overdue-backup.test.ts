import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { findOverdueSince, type BackupTimes } from '../../src/health/overdue-backup.ts';
import { findProblems } from '../../src/health/catalogue.ts';
import { healthFacts } from '../support/fixtures/health-facts.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';

const backup = { schedule: '30 2 * * *', folder: 'backups', keep: 7 };
const config = { backup, schedule: { full: '0 * * * *', quick: null, timezone: 'Asia/Seoul' } } as Pick<
  Config,
  'backup' | 'schedule'
>; // half past two in Seoul is 17:30 UTC
const times = {
  madeAt: '2026-03-01 17:31:00',
  firstRunAt: '2026-01-01 00:05:00',
  scheduledAt: '2026-02-01 00:00:00',
};
const overdueAt = (now: string, changes: Partial<BackupTimes> = {}) =>
  findOverdueSince(config, { ...times, ...changes }, toMs(now));

describe('a backup', () => {
  it('is overdue once two ticks of its schedule have passed since the last one', () => {
    expect(overdueAt('2026-03-03T17:30Z')).toBeNull();
    expect(overdueAt('2026-03-03T17:31Z')).toBe('2026-03-03 17:30:00');
    expect(overdueAt('2026-03-05T00:00Z')).toBe('2026-03-03 17:30:00');
  });

  it('is not overdue before the worker had the schedule, or a first full run, for two ticks', () => {
    expect(overdueAt('2026-03-05T00:00Z', { scheduledAt: '2026-03-04 12:00:00' })).toBeNull();
    expect(overdueAt('2026-03-05T00:00Z', { madeAt: null, firstRunAt: '2026-03-04 12:00:00' })).toBeNull();
    expect(overdueAt('2026-03-05T18:00Z', { madeAt: null, firstRunAt: '2026-03-04 12:00:00' })).toBe(
      '2026-03-05 17:30:00',
    );
  });

  it('is not overdue where no worker runs, before the first full run, and without backups', () => {
    const now = '2026-04-01T00:00Z';
    expect(overdueAt(now, { scheduledAt: null })).toBeNull();
    expect(overdueAt(now, { firstRunAt: null })).toBeNull();
    expect(findOverdueSince({ ...config, backup: null }, times, toMs(now))).toBeNull();
  });

  it('is overdue though an earlier one was made, or the worker started, while the clock was ahead', () => {
    const ahead = '2027-03-01 17:31:00';
    expect(overdueAt('2026-03-05T00:00Z', { madeAt: ahead })).toBe('2026-02-02 17:30:00');
    expect(overdueAt('2026-03-05T00:00Z', { scheduledAt: ahead })).toBe('2026-03-03 17:30:00');
    expect(
      overdueAt('2026-03-05T00:00Z', { madeAt: ahead, scheduledAt: ahead, firstRunAt: ahead }),
    ).toBeNull();
  });

  it('is one problem, and a failure tells why', () => {
    const last = { file: null, made_at: null, size_bytes: null, error: null, failing_since: null };
    const overdueBackup = '2026-03-03 17:30:00';
    const problemsOf = (facts: Parameters<typeof healthFacts>[0]) =>
      findProblems(healthFacts(facts)).filter(({ of }) => of.kind === 'backup');
    expect(problemsOf({ backup: last })).toEqual([]);
    expect(problemsOf({ backup: last, overdueBackup })).toMatchObject([
      { since: overdueBackup, fields: { made_at: null, error: null } },
    ]);
    const failed = { ...last, error: 'no space left', failing_since: '2026-03-03 17:31:00' };
    expect(problemsOf({ backup: failed, overdueBackup })).toMatchObject([
      { since: failed.failing_since, fields: { error: 'no space left' } },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { toTimestamp, MINUTE_MS } from '../../src/lib/clock.ts';
import { createPreemption, findDue, type Due, type LastRun } from '../../src/app/due.ts';
import { toMs } from '../support/clocks/virtual-clock.ts';
const stamp = (time: string) => toTimestamp(toMs(`2026-03-10T${time}Z`));
const createRun = (time: string, resumeAt: string | null = null): LastRun => ({
  startedAt: stamp(time),
  runId: toMs(`2026-03-10T${time}Z`) / MINUTE_MS,
  resumeAt: resumeAt === null ? null : stamp(resumeAt),
});

interface Before {
  full?: LastRun | null;
  quick?: LastRun | null;
  /** Default: every ten minutes. */
  quickSchedule?: string | null;
}

const dueAt = (time: string, { full = null, quick = null, quickSchedule = '*/10 * * * *' }: Before) =>
  findDue({ full: '0 * * * *', quick: quickSchedule }, toMs(`2026-03-10T${time}Z`), { full, quick });
const fromStart = (mode: Due['mode'], trigger: Due['trigger']): Due => ({ mode, trigger, resumesFrom: null });

describe('due runs', () => {
  it('a full run does not wait for an account that is parked beyond the next quick run', () => {
    const full = createRun('01:00', '23:00');
    expect(dueAt('02:00', { full, quickSchedule: '30 3 * * *' })).toEqual(fromStart('full', 'schedule'));
    expect(dueAt('03:30', { full, quickSchedule: '30 3 * * *' })).toEqual(fromStart('quick', 'schedule'));
  });

  it('a quick run is due where neither a quick nor a full one has begun since its tick', () => {
    expect(dueAt('12:10', { full: createRun('12:00') })).toEqual(fromStart('quick', 'schedule'));
    expect(dueAt('12:19', { full: createRun('12:00') })).toEqual(fromStart('quick', 'catch_up'));
    expect(dueAt('12:19', { full: createRun('12:00'), quick: createRun('12:10') })).toBeNull();
    expect(dueAt('12:19', { full: createRun('12:12'), quick: createRun('12:00') })).toBeNull();
    expect(dueAt('12:19', { full: createRun('12:00'), quickSchedule: null })).toBeNull();
  });

  it('a quick run comes before the rest of a parked full one', () => {
    const full = createRun('12:00', '12:09');
    expect(dueAt('12:10', { full })).toEqual(fromStart('quick', 'schedule'));
    expect(dueAt('12:11', { full, quick: createRun('12:10') })).toEqual({
      mode: 'full',
      trigger: 'catch_up',
      resumesFrom: stamp('12:00'),
    });
  });

  it('quick runs that take longer than their interval alternate with the rest of a full one', () => {
    const full = createRun('12:00', '12:12');
    expect(dueAt('12:25', { full, quick: createRun('12:12') })).toMatchObject({
      mode: 'full',
      resumesFrom: stamp('12:00'),
    });
    const rest = { ...full, runId: createRun('12:25').runId };
    expect(dueAt('12:38', { full: rest, quick: createRun('12:12') })).toEqual(fromStart('quick', 'catch_up'));
  });

  it('a quick run that a long full one skipped comes before the next full one', () => {
    const full = createRun('12:00', '13:00');
    expect(dueAt('13:00', { full, quick: createRun('11:50') })).toMatchObject({ mode: 'quick' });
    expect(dueAt('13:00', { full, quick: createRun('12:10') })).toMatchObject({ mode: 'full' });
    expect(dueAt('13:00', { full: createRun('12:00'), quick: createRun('11:50') })).toMatchObject({
      mode: 'full',
    });
    const rarely = { quick: createRun('11:50'), quickSchedule: '30 * * * *' };
    expect(dueAt('13:00', { ...rarely, full: createRun('12:00', '12:29') })).toMatchObject({ mode: 'full' });
    expect(dueAt('13:00', { ...rarely, full: createRun('12:00', '12:30') })).toMatchObject({ mode: 'quick' });
  });

  it('a new tick comes before the rest of a parked run: the new run serves the oldest packages first too', () => {
    const due = dueAt('13:00', { full: createRun('12:00', '12:40'), quick: createRun('12:50') });
    expect(due).toEqual(fromStart('full', 'schedule'));
  });

  it('a parked quick run is resumed, after a full one that is also parked', () => {
    const quick = createRun('12:10', '12:12');
    const next = dueAt('12:15', { full: createRun('12:00'), quick });
    expect(next).toEqual({ mode: 'quick', trigger: 'catch_up', resumesFrom: stamp('12:10') });
    expect(dueAt('12:15', { full: createRun('12:00', '12:05'), quick })).toMatchObject({ mode: 'full' });
    expect(dueAt('12:15', { full: createRun('12:00', '12:30'), quick })).toMatchObject({ mode: 'quick' });
  });
});

describe('a schedule in another zone', () => {
  it('is due at its own three in the morning', () => {
    const schedule = { full: '0 3 * * *', quick: null, timezone: 'Asia/Seoul' };
    const full = { startedAt: '2026-03-01 18:00:00', runId: 1, resumeAt: null };
    const find = (now: string) => findDue(schedule, Date.parse(now), { full, quick: null })?.trigger;
    expect([find('2026-03-02T03:00:10Z'), find('2026-03-02T18:00:10Z')]).toEqual([undefined, 'schedule']);
  });
});

describe('a run in progress', () => {
  const START = toMs('2026-03-10T12:05Z');
  const reasonAt = (quick: string | null, quickTookMs: number, mode: Due['mode'] = 'full') => {
    const reason = createPreemption({ full: '0 * * * *', quick }, { mode, startedAt: START, quickTookMs });
    return (time: string) => reason(toMs(`2026-03-10T${time}Z`));
  };

  it('is preempted by the next full run at its tick, which reads the storage of today first', () => {
    const reason = reasonAt(null, 0);
    expect(reason('12:59:59')).toBeNull();
    expect(reason('13:00')).toBe('the next full run is due');
    expect(reason('23:00')).toBe('the next full run is due');
  });

  it('is preempted by a quick run at its tick', () => {
    const reason = reasonAt('*/10 * * * *', 0);
    expect(reason('12:09:59')).toBeNull();
    expect(reason('12:10')).toBe('a quick run is due');
    expect(reason('12:30')).toBe('a quick run is due');
  });

  it('runs at least as long as the last quick run before the next one preempts it: both make progress', () => {
    const reason = reasonAt('*/10 * * * *', 12 * MINUTE_MS);
    expect(reason('12:16:59')).toBeNull();
    expect(reason('12:17')).toBe('a quick run is due');
  });

  it('is never preempted where it is a quick run', () => {
    const reason = reasonAt('*/10 * * * *', 0, 'quick');
    expect(reason('23:00')).toBeNull();
  });

  it('is not preempted by the tick at which it began', () => {
    const rules = { mode: 'full', startedAt: toMs('2026-03-10T13:00Z'), quickTookMs: 0 } as const;
    const reason = createPreemption({ full: '0 * * * *', quick: '0 * * * *' }, rules);
    expect(reason(toMs('2026-03-10T13:59:59Z'))).toBeNull();
    expect(reason(toMs('2026-03-10T14:00Z'))).toBe('the next full run is due');
  });
});

describe('a run for packages with their own schedule', () => {
  const own: Due = { ...fromStart('full', 'schedule'), packages: [{ account: 'main', packageId: 102 }] };
  const schedule = { full: '0 * * * *', quick: '*/10 * * * *' };

  it.each([
    ['comes after a full run', '13:00', createRun('12:00'), null, { mode: 'full' }],
    ['comes after a quick run', '12:10', createRun('12:00'), null, { mode: 'quick' }],
    ['is next', '12:11', createRun('12:00'), createRun('12:10'), own],
    [
      'comes after the rest of a parked run',
      '12:11',
      createRun('12:00', '12:05'),
      createRun('12:10'),
      { resumesFrom: stamp('12:00') },
    ],
  ])('%s', (_what, time, full, quick, expected) => {
    const due = findDue(schedule, toMs(`2026-03-10T${time}Z`), { full, quick }, own);
    expect(due).toMatchObject(expected);
    expect(due === own).toBe(expected === own);
  });
});

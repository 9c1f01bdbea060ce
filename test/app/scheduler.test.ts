import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigError, InterruptedError, LockedError, ParkedError } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { toTimestamp, MINUTE_MS, HOUR_MS } from '../../src/lib/clock.ts';
import type { Due, LastRun } from '../../src/app/due.ts';
import { runScheduler, startTicks } from '../../src/app/scheduler.ts';
import type { Mode } from '../../src/database/schema/values.ts';
import { useFakeTimers } from '../support/clocks/fake-timers.ts';
import { watchConsole } from '../support/processes/captured-output.ts';

const HOURLY = '0 * * * *';

interface TestOptions {
  /** When the last run over everything began; null if there is none. */
  last?: string | null;
  full?: string;
  quick?: string | null;
  /** Replaces a run; by default it ends at once. */
  run?: () => Promise<void>;
  /** Until when a run is parked; without it, no run is parked. */
  parkedUntil?: (due: Due) => string | null;
  /** Called each minute, and when nothing is due. */
  onMinute?: () => unknown;
  onCaughtUp?: () => unknown;
  /** Replaces the query of the warehouse. */
  lastUnscopedRun?: (mode: Mode) => Promise<LastRun | null>;
}

/** A scheduler whose runs only record when and why they began. */
function startWorker({ last = null, full = HOURLY, quick = null, ...options }: TestOptions) {
  const { run, parkedUntil, lastUnscopedRun, onMinute, onCaughtUp } = options;
  const runs: string[] = [];
  const log: string[] = [];
  const controller = new AbortController();
  const stamp = (moment: string) => toTimestamp(Date.parse(moment));
  const createRun = (moment: string): LastRun => ({ startedAt: stamp(moment), runId: 1, resumeAt: null });
  const newest: Record<Mode, LastRun | null> = { full: last === null ? null : createRun(last), quick: null };
  const write = (line: string) => void log.push(line);
  const parts = {
    clock: { now: () => Date.now(), sleep: () => Promise.resolve() },
    logger: createLogger({ level: 'info', format: 'json', secrets: [], write }),
    schedule: { full, quick },
    onMinute,
    onCaughtUp,
    lastUnscopedRun: lastUnscopedRun ?? (async (mode: Mode) => newest[mode]),
    run: async (due: Due) => {
      const { trigger, mode, resumesFrom } = due;
      const startedAt = new Date(Date.now()).toISOString();
      const rest = resumesFrom === null ? '' : ` from ${resumesFrom.slice(11, 16)}`;
      runs.push(`${startedAt.slice(0, 16)} ${mode === 'quick' ? 'quick ' : ''}${trigger}${rest}`);
      await run?.();
      const until = parkedUntil?.(due) ?? null;
      newest[mode] = {
        startedAt: resumesFrom ?? stamp(startedAt),
        runId: runs.length + 1,
        resumeAt: until === null ? null : stamp(until),
      };
    },
  };
  const ended = runScheduler(parts, controller.signal);
  ended.catch(() => undefined);
  const stop = () => controller.abort(new InterruptedError('stopped by the test'));
  onTestFinished(async () => {
    stop();
    await ended.catch(() => undefined);
  });
  return { runs, log: () => log.join(''), stop, ended };
}

describe('the worker', () => {
  it('runs at its start where a tick was missed, then by the schedule, and writes nothing to the console', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:30:20Z');
    const written = watchConsole();
    const { runs, log } = startWorker({ last: '2026-03-10T11:00Z' });
    await pass(2 * HOUR_MS);
    expect(runs).toEqual([
      '2026-03-10T12:30 catch_up',
      '2026-03-10T13:00 schedule',
      '2026-03-10T14:00 schedule',
    ]);
    expect(log()).toContain('next full run at 2026-03-10 13:00 UTC');
    expect(written).toEqual([]);
  });

  it('does not run at its start where nothing is due', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:30:20Z');
    const { runs } = startWorker({ last: '2026-03-10T12:00Z' });
    await pass(HOUR_MS);
    expect(runs).toEqual(['2026-03-10T13:00 schedule']);
  });

  it('catches up a minute after the machine wakes from a long sleep', async () => {
    const { pass, skip } = useFakeTimers('2026-03-10T04:00:20Z');
    const written = watchConsole();
    const { runs } = startWorker({ last: '2026-03-10T03:00Z', full: '0 3 * * *' });
    await pass(HOUR_MS);
    await skip(28 * HOUR_MS);
    await pass(MINUTE_MS);
    expect(runs).toEqual(['2026-03-11T09:01 catch_up']);
    expect(written).toEqual([]);
  });

  it('runs one at a time, and catches up once on the ticks of a long run', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:59:50Z');
    let end = (): void => undefined;
    const run = () => new Promise<void>((resolve) => (end = resolve));
    const { runs } = startWorker({ last: '2026-03-10T12:00Z', run });
    await pass(3 * HOUR_MS + 10 * MINUTE_MS);
    expect(runs).toEqual(['2026-03-10T13:00 schedule']);
    end();
    await pass(MINUTE_MS);
    expect(runs.slice(1)).toEqual(['2026-03-10T16:09 catch_up']);
    end();
    await pass(MINUTE_MS);
    expect(runs).toHaveLength(2);
  });

  it('continues after a run that failed, and logs the failure', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:30:20Z');
    const run = () => Promise.reject(new Error('the disk is full'));
    const { runs, log } = startWorker({ run });
    await pass(2 * MINUTE_MS);
    expect(runs.length).toBeGreaterThan(1);
    expect(log()).toContain('the run failed: the disk is full');
  });

  it('logs a failure of several lines in one', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:30:20Z');
    const error = new ConfigError('nothing was sent\n  left: 101\n  left: 102', {
      hint: 'do this:\n  a\n  b',
    });
    const { log } = startWorker({ run: () => Promise.reject(error) });
    await pass(2 * MINUTE_MS);
    expect(log()).toContain('the run failed: nothing was sent: left: 101; left: 102 -> do this: a; b"');
  });

  it('continues after a query that failed, and logs the failure', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:59:20Z');
    let checks = 0;
    const lastUnscopedRun = async () => {
      if (++checks === 2) throw new Error('database is locked');
      const startedAt = '2026-03-10 12:00:00';
      return { startedAt, runId: 1, resumeAt: null };
    };
    const { runs, log } = startWorker({ lastUnscopedRun });
    await pass(MINUTE_MS);
    expect(log()).toContain('scheduled check failed: database is locked');
    expect(runs).toEqual([]);
    await pass(MINUTE_MS);
    expect(runs).toEqual(['2026-03-10T13:01 schedule']);
  });

  it('does not start where its first query fails', async () => {
    useFakeTimers('2026-03-10T12:59:20Z');
    const { ended } = startWorker({ lastUnscopedRun: () => Promise.reject(new Error('no such file')) });
    await expect(ended).rejects.toThrow('no such file');
  });

  const PAUSED = 'account main is paused until 13:10';
  it.each<[string, Error]>([
    ['another process holds the lock', new LockedError('a run is under way: pid 7')],
    ['requests are not allowed', new ParkedError(PAUSED, Date.parse('2026-03-10T13:10Z'))],
  ])('defers a run while %s, logs that once, and catches up', async (_what, error) => {
    const { pass } = useFakeTimers('2026-03-10T12:59:20Z');
    let isDeferred = true;
    const run = () => (isDeferred ? Promise.reject(error) : Promise.resolve());
    const { runs, log } = startWorker({ last: '2026-03-10T12:00Z', run });
    await pass(10 * MINUTE_MS);
    expect(log().split(`postponed: ${error.message}`)).toHaveLength(2);
    expect(log()).not.toContain('failed');
    isDeferred = false;
    await pass(MINUTE_MS);
    const newest = runs.at(-1);
    expect(newest).toBe('2026-03-10T13:10 catch_up');
    await pass(10 * MINUTE_MS);
    expect(runs.at(-1)).toBe(newest);
  });

  it('makes quick runs between the full runs, and one run where both are due', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:30:20Z');
    const { runs, log } = startWorker({ last: '2026-03-10T12:00Z', quick: '*/20 * * * *' });
    await pass(50 * MINUTE_MS);
    expect(runs).toEqual([
      '2026-03-10T12:30 quick catch_up',
      '2026-03-10T12:40 quick schedule',
      '2026-03-10T13:00 schedule',
      '2026-03-10T13:20 quick schedule',
    ]);
    expect(log()).toContain('next full run at 2026-03-10 13:00 UTC, next quick run at 2026-03-10 12:40 UTC');
  });

  it('resumes a parked run at the first query after its time, until it is complete', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:59:20Z');
    const until = ['2026-03-10T13:07:30Z', '2026-03-10T13:30Z'];
    const parkedUntil = () => until.shift() ?? null;
    const { runs } = startWorker({ last: '2026-03-10T12:00Z', parkedUntil });
    await pass(50 * MINUTE_MS);
    expect(runs).toEqual([
      '2026-03-10T13:00 schedule',
      '2026-03-10T13:08 catch_up from 13:00',
      '2026-03-10T13:30 catch_up from 13:00',
    ]);
  });

  it('ends at the signal, immediately where no run is under way', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:30:20Z');
    const { runs, stop, ended } = startWorker({ last: '2026-03-10T12:00Z' });
    await pass(MINUTE_MS);
    stop();
    await ended;
    await pass(2 * HOUR_MS);
    expect(runs).toEqual([]);
  });

  it('waits at the signal for the run under way, and accepts its abort without a message', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:59:20Z');
    let fail: (error: Error) => void = () => undefined;
    const run = () => new Promise<void>((_resolve, reject) => (fail = reject));
    const { runs, log, stop, ended } = startWorker({ last: '2026-03-10T12:00Z', run });
    await pass(MINUTE_MS);
    expect(runs).toHaveLength(1);
    let isOver = false;
    void ended.then(() => (isOver = true));
    stop();
    await pass(5 * MINUTE_MS);
    expect(isOver).toBe(false);
    fail(new InterruptedError('stopped by the test'));
    await ended;
    expect(log()).not.toContain('failed');
  });

  it('sends a heartbeat each minute, also while a run is under way, and none after its end', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:30:20Z');
    let minutes = 0;
    let end: () => void = () => undefined;
    const run = () => new Promise<void>((resolve) => (end = resolve));
    const { runs, stop, ended } = startWorker({ run, onMinute: () => (minutes += 1) });
    await pass(10 * MINUTE_MS);
    expect([runs.length, minutes]).toEqual([1, 10]);
    end();
    stop();
    await ended;
    await pass(10 * MINUTE_MS);
    expect(minutes).toBe(10);
  });

  it('calls onCaughtUp when nothing is due: not before its first run ended, nor where that was deferred', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:30:20Z');
    const events: string[] = [];
    let isLocked = true;
    const run = async () => {
      events.push('run');
      if (isLocked) throw new LockedError('a run is under way');
    };
    startWorker({ run, onCaughtUp: () => events.push('caught up') });
    await pass(MINUTE_MS);
    expect(events).toEqual(['run', 'run']);
    isLocked = false;
    await pass(MINUTE_MS);
    expect(events).toEqual(['run', 'run', 'run', 'caught up']);
  });

  it('starts nothing where the signal is already aborted', async () => {
    useFakeTimers('2026-03-10T12:30:20Z');
    const controller = new AbortController();
    controller.abort(new InterruptedError('stopped'));
    const logger = createLogger({ level: 'silent', format: 'json', secrets: [] });
    const clock = { now: () => Date.now(), sleep: () => Promise.resolve() };
    const never = () => Promise.reject(new Error('a run was checked or started'));
    const schedule = { full: HOURLY, quick: null };
    const options = { clock, logger, schedule, lastUnscopedRun: never, run: never };
    await expect(runScheduler(options, controller.signal)).resolves.toBeUndefined();
  });
});

it('ticks are called, late where the machine was suspended, and no longer once they are stopped', async () => {
  vi.useFakeTimers({ now: Date.parse('2026-03-10T11:59:30Z') });
  onTestFinished(() => void vi.useRealTimers());
  let calls = 0;
  const stop = startTicks('* * * * *', async () => {
    calls++;
  });
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(calls).toBe(1);
  vi.setSystemTime('2026-03-10T12:05:30Z');
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(calls).toBe(7);
  stop();
  await vi.advanceTimersByTimeAsync(2 * MINUTE_MS);
  expect(calls).toBe(7);
});

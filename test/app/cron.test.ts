import { describe, expect, it } from 'vitest';
import { createLogger, type Logger } from '../../src/lib/logger.ts';
import { createCronTicks } from '../../src/app/cron.ts';
import { useFakeTimers } from '../support/clocks/fake-timers.ts';
import { MINUTE_MS, HOUR_MS } from '../../src/lib/clock.ts';
import { watchConsole } from '../support/processes/captured-output.ts';

function recordLog(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  return { logger: createLogger({ level: 'info', format: 'json', secrets: [], write }), lines };
}

/** Ticks whose callbacks record the time. */
function recordCalls(expression: string) {
  const calls: string[] = [];
  const call = async () => void calls.push(new Date(Date.now()).toISOString().slice(0, 16));
  return { calls, ticks: createCronTicks(expression, call, recordLog().logger) };
}

describe('ticks', () => {
  it('fire when the expression matches, and write nothing to the console', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:30:00Z');
    const written = watchConsole();
    const { calls, ticks } = recordCalls('*/20 * * * *');
    await pass(HOUR_MS);
    await ticks.close();
    expect(calls).toEqual(['2026-03-10T12:40', '2026-03-10T13:00', '2026-03-10T13:20']);
    expect(written).toEqual([]);
  });

  it('fire at every hour of UTC, also where a time zone has no such hour', async () => {
    const { pass } = useFakeTimers('2026-03-29T00:30:00Z');
    const { calls, ticks } = recordCalls('0 * * * *');
    await pass(3 * HOUR_MS);
    await ticks.close();
    expect(calls).toEqual(['2026-03-29T01:00', '2026-03-29T02:00', '2026-03-29T03:00']);
  });

  it('fire late instead of never, and without a message', async () => {
    const { pass, skip } = useFakeTimers('2026-03-10T12:59:50Z');
    const written = watchConsole();
    const { calls, ticks } = recordCalls('0 * * * *');
    await skip(30_000);
    await pass(MINUTE_MS);
    await ticks.close();
    expect(calls).toEqual(['2026-03-10T13:00']);
    expect(written).toEqual([]);
  });

  it('never fire while the previous callback runs', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:00:30Z');
    const written = watchConsole();
    let started = 0;
    let end = (): void => undefined;
    const call = async () => {
      started++;
      await new Promise<void>((resolve) => (end = resolve));
    };
    const ticks = createCronTicks('* * * * *', call, recordLog().logger);
    await pass(5 * MINUTE_MS);
    expect(started).toBe(1);
    end();
    await pass(MINUTE_MS);
    expect(started).toBe(2);
    end();
    await ticks.close();
    expect(written).toEqual([]);
  });

  it('continue after a callback that failed, and log the failure', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:00:30Z');
    const written = watchConsole();
    const { logger, lines } = recordLog();
    let calls = 0;
    const call = async () => {
      if (++calls === 1) throw new Error('the disk is full');
    };
    const ticks = createCronTicks('* * * * *', call, logger);
    await pass(2 * MINUTE_MS);
    await ticks.close();
    expect(calls).toBe(2);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('scheduled check failed: the disk is full');
    expect(written).toEqual([]);
  });

  it('fire no more once they are closed', async () => {
    const { pass } = useFakeTimers('2026-03-10T12:00:30Z');
    const { calls, ticks } = recordCalls('* * * * *');
    await pass(MINUTE_MS);
    await ticks.close();
    await pass(5 * MINUTE_MS);
    expect(calls).toHaveLength(1);
  });
});

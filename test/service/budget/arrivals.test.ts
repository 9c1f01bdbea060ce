import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mostWithin } from '../../support/clocks/sliding-window.ts';
import {
  folderOfAccounts,
  startStampedService,
  type Treatment,
} from '../../support/servers/stamped-service.ts';
import { eventually, startVodhouse } from '../../support/processes/vodhouse-command.ts';

const WELL: Treatment = { latencyMs: 20, outcome: 'well' };
const TREATMENTS: Treatment[] = [
  ...[
    WELL,
    WELL,
    { latencyMs: 80, outcome: 'well' as const },
    WELL,
    { latencyMs: 900, outcome: 'well' as const },
    WELL,
  ],
  ...(['error', 'drop', 'truncate'] as const).map((outcome) => ({ latencyMs: 40, outcome })),
];

/** Processes one after the other: how long each runs, how it ends, and whether a `check` runs at the same time. */
const LIVES = [
  [700, 'SIGKILL', true],
  [1500, 'SIGKILL', false],
  [900, 'SIGTERM', true],
  [2000, 'SIGKILL', true],
] as const;

describe('with the clock of a real server', () => {
  it.each([
    [1_000, 'per_second: 5'],
    [60_000, 'per_minute: 12'],
  ])(
    'no %i ms have more requests than %s, whatever fails and whichever process is killed',
    async (windowMs, limits) => {
      const service = await startStampedService(
        400,
        ({ number }) => TREATMENTS[number % TREATMENTS.length] ?? WELL,
      );
      const cwd = folderOfAccounts(service.url, [{ name: 'main', limits }]);
      for (const [afterMs, signal, withCheck] of LIVES) {
        const running = [startVodhouse(['sync', '--log-level', 'error'], { cwd })];
        if (withCheck) running.push(startVodhouse(['check', '--all'], { cwd }));
        await pause(afterMs);
        for (const process of running) process.kill(signal);
        await Promise.all(running.map((process) => process.ended));
      }
      const last = startVodhouse(['sync', '--log-level', 'error'], { cwd });
      await eventually(() => service.arrivals.length).toBeGreaterThan(3);
      last.kill('SIGKILL');
      expect(
        mostWithin(
          service.arrivals.map(({ at }) => at),
          windowMs,
        ),
      ).toBeLessThanOrEqual(Number(limits.split(': ')[1]));
    },
  );
});

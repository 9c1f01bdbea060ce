/** Random processes that send requests to a real server within random limits. */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import {
  folderOfAccounts,
  mostArrivals,
  startStampedService,
  type Treatment,
} from '../servers/stamped-service.ts';
import { eventually, startVodhouse } from '../processes/vodhouse-command.ts';

/** One process, ended by the signal after the given time. `withCheck`: a `check` runs at the same time. */
export interface Life {
  afterMs: number;
  signal: 'SIGKILL' | 'SIGTERM';
  withCheck: boolean;
}

export interface ArrivalScenario {
  perSecond: number | null;
  perMinute: number | null;
  treatments: readonly Treatment[];
  lives: readonly Life[];
}

const treatment: fc.Arbitrary<Treatment> = fc.record({
  latencyMs: fc.oneof({ weight: 4, arbitrary: fc.nat(80) }, { weight: 1, arbitrary: fc.nat(900) }),
  outcome: fc.oneof(
    { weight: 20, arbitrary: fc.constant('well' as const) },
    { weight: 3, arbitrary: fc.constantFrom('error' as const, 'truncate' as const) },
    { weight: 1, arbitrary: fc.constant('drop' as const) },
  ),
});

/** Scenarios of the given number of processes, each of which runs the given time at most. */
export function arrivalScenario(lives: number, longestMs: number): fc.Arbitrary<ArrivalScenario> {
  const life: fc.Arbitrary<Life> = fc.record({
    afterMs: fc.integer({ min: 600, max: longestMs }),
    signal: fc.constantFrom('SIGKILL', 'SIGKILL', 'SIGTERM'),
    withCheck: fc.boolean(),
  });
  const limits = fc.oneof(
    fc.record({ perSecond: fc.integer({ min: 2, max: 9 }), perMinute: fc.constant(null) }),
    fc.record({ perSecond: fc.constant(null), perMinute: fc.integer({ min: 5, max: 30 }) }),
    fc.record({ perSecond: fc.integer({ min: 2, max: 6 }), perMinute: fc.integer({ min: 10, max: 40 }) }),
  );
  return fc
    .tuple(
      limits,
      fc.array(treatment, { minLength: 30, maxLength: 60, size: 'max' }),
      fc.array(life, { minLength: lives, maxLength: lives }),
    )
    .map(([limit, treatments, all]) => ({ ...limit, treatments, lives: all }));
}

/**
 * Runs the processes one after the other; returns the largest numbers of requests in any second and minute.
 */
export async function liveThrough({ perSecond, perMinute, treatments, lives }: ArrivalScenario) {
  const well: Treatment = { latencyMs: 0, outcome: 'well' };
  const service = await startStampedService(
    400,
    ({ number }) => treatments[number % treatments.length] ?? well,
  );
  const limits = `per_second: ${perSecond}, per_minute: ${perMinute}`;
  const cwd = folderOfAccounts(service.url, [{ name: 'main', limits }]);
  for (const [index, { afterMs, signal, withCheck }] of lives.entries()) {
    const isLast = index === lives.length - 1;
    const running = [startVodhouse(['sync', '--log-level', 'error'], { cwd })];
    if (withCheck) running.push(startVodhouse(['check', '--all'], { cwd }));
    await pause(afterMs);
    if (isLast) await eventually(() => service.arrivals.length).toBeGreaterThan(0);
    for (const process of running) process.kill(signal);
    await Promise.all(running.map((process) => process.ended));
  }
  return {
    inSecond: mostArrivals(service.arrivals, 1_000),
    inMinute: mostArrivals(service.arrivals, 60_000),
  };
}

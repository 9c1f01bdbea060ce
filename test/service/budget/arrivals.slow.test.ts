import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mostWithin } from '../../support/clocks/sliding-window.ts';
import { commandFolder } from '../../support/fixtures/command-folder.ts';
import { listPage, videoRecord } from '../../support/fixtures/service-responses.ts';
import { startScriptedService, type SeenRequest } from '../../support/servers/scripted-service.ts';

const RECORDS = Array.from({ length: 400 }, (_, index) => videoRecord(index + 1));

/** The duration of each response; the last ones are an error, a closed connection and half a page. */
const LATENCIES_MS = [20, 20, 80, 20, 900, 20, 40, 40, 40];

async function reply(request: SeenRequest) {
  const kind = request.number % LATENCIES_MS.length;
  await pause(LATENCIES_MS[kind]);
  const page = listPage(request, RECORDS);
  const faults = {
    6: { status: 500, body: 'on fire' },
    7: 'drop',
    8: { ...page, truncateAfter: 100 },
  } as const;
  return kind in faults ? faults[kind as keyof typeof faults] : page;
}

/** Processes one after the other: how long each runs, how it ends, and whether a `check` runs at the same time. */
const LIVES = [
  [700, 'SIGKILL', true],
  [1500, 'SIGKILL', false],
  [900, 'SIGTERM', true],
  [2000, 'SIGKILL', true],
] as const;

describe('with the clock of a real server', () => {
  it.each([
    [1_000, 'per_second', 5],
    [60_000, 'per_minute', 12],
  ])(
    'no %i ms have more requests than %s, whatever fails and whichever process is killed',
    async (windowMs, limit, most) => {
      const { url, requests } = await startScriptedService(reply);
      const options = { packages: [101, 102, 103], pageSize: 2, storage: false, limits: `${limit}: ${most}` };
      const { start } = commandFolder({ url, ...options });
      const sync = () => start('sync', '--log-level', 'error');
      for (const [afterMs, signal, withCheck] of LIVES) {
        const running = [sync(), ...(withCheck ? [start('check', '--all')] : [])];
        await pause(afterMs);
        for (const process of running) process.kill(signal);
        await Promise.all(running.map((process) => process.ended));
      }
      const last = sync();
      await expect.poll(() => requests.length).toBeGreaterThan(3);
      last.kill('SIGKILL');
      const arrivals = requests.map(({ at }) => at);
      expect(mostWithin(arrivals, windowMs)).toBeLessThanOrEqual(most);
    },
  );
});

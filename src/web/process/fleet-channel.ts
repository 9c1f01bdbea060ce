/**
 * The server's side of `/fleet`. The process of the web server has no password of a target, so it asks the worker, which reads
 * the targets without waiting for a run.
 */
import { BusyError } from '../../lib/errors.ts';
import type { TargetFleet } from '../../lib/fleet.ts';

/** The worker asks its targets for five seconds at most. */
const TIMEOUT_MS = 8_000;

export function createFleetChannel(ask: () => void) {
  let waiting: ((fleets: TargetFleet[]) => void)[] = [];
  return {
    /** Throws BusyError where the worker does not answer in time. */
    read: () =>
      new Promise<TargetFleet[]>((resolve, reject) => {
        const timer = setTimeout(() => reject(new BusyError('the worker does not answer')), TIMEOUT_MS);
        const answer = (fleets: TargetFleet[]) => {
          clearTimeout(timer);
          resolve(fleets);
        };
        waiting.push(answer);
        if (waiting.length === 1) ask();
        setTimeout(() => (waiting = waiting.filter((each) => each !== answer)), TIMEOUT_MS).unref();
      }),
    receive: (fleets: TargetFleet[]) => {
      for (const answer of waiting.splice(0)) answer(fleets);
    },
  };
}

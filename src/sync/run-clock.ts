/** Compares the machine's clock with the dates of the service's responses, and decides which one is wrong. */
import { formatOffset } from '../lib/format.ts';
import type { ClockEvidence, ServiceClock } from '../service/client/service-clock.ts';
import type { Failure } from './circuit-breaker.ts';

/** The clocks of all accounts of a run. */
export interface RunClock {
  /** The services' clocks minus the machine's, in milliseconds; null if the machine's is right. */
  offsetMs: number | null;
  /** All services agree that the machine's clock is wrong: the times of the run are corrected. */
  isMachineOff: boolean;
  /** The file holds times ahead of the clock, and the services confirm the clock. */
  isFileWrong: boolean;
  /** Records may be deleted by age: there were responses, and neither they nor the file contradict the clock. */
  mayPrune: boolean;
}

/** The time of publishing after a run, in milliseconds since 1970; `judged` is null before the first run of the process. */
export function getPublishTime(now: number, judged: RunClock | null): number {
  return judged?.isMachineOff === true ? now + (judged.offsetMs ?? 0) : now;
}

/** Joins the evidence of all accounts of a run. `isFileAhead`: the file holds times ahead of the machine's clock. */
export function judgeClock(
  accounts: readonly { clock: Pick<ServiceClock, 'evidence'> }[],
  isFileAhead: boolean,
): RunClock {
  const evidence = accounts.map(({ clock }) => clock.evidence());
  const dated = evidence.filter(({ offsetMs }) => offsetMs !== null);
  const offsets = evidence.flatMap(({ wasOff, offsetMs }) => (wasOff ? (offsetMs ?? 0) : []));
  const isConfirmed = dated.length > 0 && evidence.every(({ wasOff }) => !wasOff);
  const [largest = null] = offsets.sort((one, other) => Math.abs(other) - Math.abs(one));
  return {
    offsetMs: largest,
    isMachineOff: dated.length > 0 && dated.every(({ offsetMs }) => offsetMs !== 0),
    isFileWrong: isFileAhead && isConfirmed,
    mayPrune: largest === null && !isFileAhead && evidence.some(({ answered }) => answered),
  };
}

/** The failure of an account whose service contradicts the machine's clock; empty if it does not. */
export function createClockFailures(account: string, { wasOff, offsetMs }: ClockEvidence): Failure[] {
  if (!wasOff) return [];
  const message = `account ${account}: ${formatOffset(offsetMs ?? 0)}; nothing was booked, given up or deleted by age`;
  const hint = "set the machine's clock (timedatectl shows it), then run it again";
  const failure = { account, packageId: null, stream: null, kind: 'clock' as const };
  return [{ ...failure, message, hint, parked: false, untilMs: null }];
}

/** Is the machine's clock to be trusted? What a run makes of the dates of the service's answers. */
import { formatOffset } from '../lib/format.ts';
import type { ClockEvidence, ServiceClock } from '../service/client/service-clock.ts';
import type { Failure } from './circuit-breaker.ts';

/** What the clocks of all accounts come to. */
export interface RunClock {
  /** How far the services' clocks are ahead of the machine's in milliseconds (negative: behind); null where it is right. */
  offsetMs: number | null;
  /** All services say so: it is the machine's clock that is wrong, and the times of the run are corrected. */
  isMachineOff: boolean;
  /** The file holds moments ahead of the clock, and the services' dates confirm the clock: those moments are wrong. */
  isFileWrong: boolean;
  /** Records may be deleted by their age: answers came, and none of them, nor the file, contradicts the clock. */
  mayPrune: boolean;
}

/** When something is published, and whether dated copies may be removed by their age. */
export interface PublishTime {
  /** Milliseconds since 1970. */
  now: number;
  pruneCopies: boolean;
}

/** The time of publishing after a run; `judged` is what it found out, null before the first run of a process. */
export function publishTime(now: number, judged: RunClock | null): PublishTime {
  const isCorrected = judged?.isMachineOff === true;
  return { now: isCorrected ? now + (judged.offsetMs ?? 0) : now, pruneCopies: judged?.mayPrune ?? false };
}

/** Joins the evidence of all accounts of a run. `isFileAhead`: the file holds moments ahead of the machine's clock. */
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

/** What an account whose service contradicts the clock has failed in; none where it does not. */
export function clockFailures(account: string, { wasOff, offsetMs }: ClockEvidence): Failure[] {
  if (!wasOff) return [];
  const message = `account ${account}: ${formatOffset(offsetMs ?? 0)}; nothing was booked, given up or deleted by age`;
  const hint = "set the machine's clock (timedatectl shows it), then run it again";
  const failure = { account, packageId: null, stream: null, kind: 'clock' as const };
  return [{ ...failure, message, hint, parked: false, untilMs: null }];
}

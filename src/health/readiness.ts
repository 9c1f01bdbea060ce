/** Can the warehouse be read? The problems that readers depend on: stale packages and storage, a full disk, a -wal file that grows. */
import { measureDiskSpace, type DiskSpace } from '../database/disk-space.ts';
import { errorMessage } from '../lib/errors.ts';
import { formatBinaryBytes, pluralize } from '../lib/format.ts';
import { formatStalePackages } from './overall-status.ts';
import { findStreamProblems } from './package-problems.ts';
import type { Problem } from './problem-kinds.ts';
import { listStreams, type Stream, type StreamParts } from './streams.ts';

export interface ReadinessFacts {
  streams: readonly Stream[];
  space: DiskSpace;
}

/** The body of `/readyz`; `reasons` is empty if it is ready. */
export interface Readiness {
  ready: boolean;
  reasons: Reason[];
}

/** A reason by its kind, and as a sentence without a full stop. */
interface Reason {
  what: 'file' | 'stale' | 'disk' | 'wal';
  says: string;
}

const MIB = 2 ** 20;
const GIB = 2 ** 30;
/** A disk is nearly full below this share; on a small disk below `min` bytes, on a large one not above `max`. */
const FREE_SPACE = { share: 0.02, min: 256 * MIB, max: 4 * GIB };
/** SQLite checkpoints at about 4 MiB: a -wal file this large means that checkpoints have been blocked for a long time. */
const MAX_WAL_BYTES = 256 * MIB;
/** How many stale packages and storages are named. */
const NAMED = 5;

/** Reads the facts at `now` (ms) from the live file and its disk. */
export function readReadinessFacts(parts: StreamParts, now: number): ReadinessFacts {
  return { streams: listStreams(parts, now), space: measureDiskSpace(parts.config.warehouse) };
}

/** The readiness at `now` (ms); `withDetails`: with names and figures of the machine. Never throws. */
export function readReadiness(parts: StreamParts, now: number, withDetails: boolean): Readiness {
  try {
    return getReadiness(readReadinessFacts(parts, now), withDetails);
  } catch (error) {
    const text = 'the live file cannot be read';
    const says = withDetails ? `${text}: ${errorMessage(error)}` : text;
    return { ready: false, reasons: [{ what: 'file', says }] };
  }
}

/** At most three reasons, each of a few hundred characters. */
export function getReadiness({ streams, space }: ReadinessFacts, withDetails: boolean): Readiness {
  const stale = findStreamProblems(streams);
  const reasons = findSpaceProblems(space);
  if (stale.length > 0) {
    const short = describeStale(stale, streams);
    reasons.unshift({ what: 'stale', short, full: `${short}: ${nameStreams(stale)}` });
  }
  return {
    ready: reasons.length === 0,
    reasons: reasons.map(({ what, short, full }) => ({ what, says: withDetails ? full : short })),
  };
}

/** In the words of the overall status, without names: `2 of 5 packages are stale, storage of 1 account is stale`. */
function describeStale(stale: readonly Problem[], streams: readonly Stream[]): string {
  const ofStorage = stale.filter(({ scope }) => scope.packageId === null).length;
  const ofPackages = stale.length - ofStorage;
  const packages = streams.filter(({ packageId }) => packageId !== null).length;
  return [
    ...(ofPackages > 0 ? [formatStalePackages(ofPackages, packages)] : []),
    ...(ofStorage > 0 ? [`storage of ${pluralize(ofStorage, 'account')} is stale`] : []),
  ].join(', ');
}

interface SpaceProblem {
  what: Reason['what'];
  short: string;
  full: string;
}

function findSpaceProblems({ free, disk, wal }: DiskSpace): SpaceProblem[] {
  const { share, min, max } = FREE_SPACE;
  const percent = ((free / Math.max(1, disk)) * 100).toFixed(1);
  const nearlyFull: SpaceProblem = {
    what: 'disk',
    short: 'the disk of the warehouse is nearly full',
    full: `the disk of the warehouse has ${formatBinaryBytes(free)} left (${percent} %): the next videos may not fit`,
  };
  const walHasGrown: SpaceProblem = {
    what: 'wal',
    short: 'the -wal file of the warehouse has grown',
    full: `the -wal file of the warehouse has grown to ${formatBinaryBytes(wal)}: usually a reader holds the live file open in one long transaction, which blocks checkpoints`,
  };
  const isNearlyFull = free < Math.min(max, Math.max(min, share * disk));
  return [...(isNearlyFull ? [nearlyFull] : []), ...(wal > MAX_WAL_BYTES ? [walHasGrown] : [])];
}

/** The packages and storages that were never read, then the longest unread. */
function nameStreams(stale: readonly Problem[]): string {
  const sorted = [...stale].sort((one, other) => ((one.since ?? '') < (other.since ?? '') ? -1 : 1));
  const names = sorted.slice(0, NAMED).map(({ scope: { account, packageId }, since }) => {
    const isStorage = packageId === null;
    const name = isStorage ? `storage of ${account ?? ''}` : `${account ?? ''}/${packageId}`;
    if (since === null) return `${name} (${isStorage ? 'never read' : 'no full walk yet'})`;
    return `${name} (${isStorage ? 'last read' : 'last full walk'} at ${since} UTC)`;
  });
  const left = stale.length - NAMED;
  return names.join(', ') + (left > 0 ? ` and ${left} more` : '');
}

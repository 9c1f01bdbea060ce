/** Whether the warehouse can be read: that needs fresh streams, room on the disk, and a small -wal file. */
import { measureDiskSpace, type DiskSpace } from '../database/files.ts';
import { errorMessage } from '../lib/errors.ts';
import { formatBinaryBytes, formatCount, pluralize } from '../lib/format.ts';
import { formatStream, STREAM_KINDS, STREAMS } from '../sync/streams.ts';
import { listStreams, type Stream, type StreamParts } from './streams.ts';

export interface ReadinessFacts {
  streams: readonly Stream[];
  space: DiskSpace;
}

/** A reason by its kind, and as a sentence without a full stop. */
interface Reason {
  what: 'file' | 'stale' | 'disk' | 'wal';
  says: string;
}

/** The body of `/readyz`; `reasons` is empty if it is ready. */
export interface Readiness {
  ready: boolean;
  reasons: Reason[];
}

const MIB = 2 ** 20;
const GIB = 2 ** 30;
/** A disk is nearly full below this share of it, but at most at `max` and at least at `min` bytes. */
const FREE_SPACE = { share: 0.02, min: 256 * MIB, max: 4 * GIB };
/** SQLite makes a checkpoint at about 4 MiB, so a -wal file of this size shows that they are blocked. */
const MAX_WAL_BYTES = 256 * MIB;
/** How many stale streams are named. */
const NAMED = 5;
const ANY_STREAM = STREAMS.map((stream) => STREAM_KINDS[stream].one).join(' or ');
const ALL_STREAMS = STREAMS.map((stream) => STREAM_KINDS[stream].several).join(' and ');

/** The readiness at `now` (ms); `withDetails`: with names and figures of the machine. Never throws. */
export function readReadiness(parts: StreamParts, now: number, withDetails: boolean): Readiness {
  try {
    const space = measureDiskSpace(parts.config.warehouse);
    return getReadiness({ streams: listStreams(parts, now), space }, withDetails);
  } catch (error) {
    const details = withDetails ? `: ${errorMessage(error)}` : '';
    return { ready: false, reasons: [{ what: 'file', says: `the live file cannot be read${details}` }] };
  }
}

/** At most three reasons, each of a few hundred characters. */
export function getReadiness({ streams, space }: ReadinessFacts, withDetails: boolean): Readiness {
  const found = [findStaleStreams(streams), findFullDisk(space), findLargeWal(space)];
  const reasons = found
    .filter((reason) => reason !== null)
    .map(({ what, short, details }) => ({ what, says: withDetails ? `${short}: ${details}` : short }));
  return { ready: reasons.length === 0, reasons };
}

/** A reason, in short for everybody, and its details with names and figures of the machine. */
interface FoundReason extends Pick<Reason, 'what'> {
  short: string;
  details: string;
}

function findStaleStreams(streams: readonly Stream[]): FoundReason | null {
  const stale = streams.filter(({ isStale }) => isStale);
  if (stale.length === 0) return null;
  const all = pluralize(streams.length, ANY_STREAM, ALL_STREAMS);
  const short = `${formatCount(stale.length)} of ${all} stale`;
  return { what: 'stale', short, details: nameStreams(stale) };
}

function findFullDisk({ free, disk }: DiskSpace): FoundReason | null {
  const { share, min, max } = FREE_SPACE;
  if (free >= Math.min(max, Math.max(min, share * disk))) return null;
  const percent = ((free / Math.max(1, disk)) * 100).toFixed(1);
  return {
    what: 'disk',
    short: 'the disk of the warehouse is nearly full',
    details: `${formatBinaryBytes(free)} left (${percent} %), the next videos may not fit`,
  };
}

function findLargeWal({ wal }: DiskSpace): FoundReason | null {
  if (wal <= MAX_WAL_BYTES) return null;
  const reader =
    'usually a reader holds the live file open in one long transaction, which blocks checkpoints';
  return {
    what: 'wal',
    short: 'the -wal file of the warehouse has grown',
    details: `${formatBinaryBytes(wal)}, ${reader}`,
  };
}

/** The streams that were never read, then the longest unread. */
function nameStreams(stale: readonly Stream[]): string {
  const sorted = [...stale].sort((one, other) => ((one.at ?? '') < (other.at ?? '') ? -1 : 1));
  const names = sorted.slice(0, NAMED).map(({ account, packageId, stream, at }) => {
    const name = formatStream({ account, package_id: packageId, stream });
    return `${name} (${at === null ? 'never read' : `read at ${at} UTC`})`;
  });
  const left = stale.length - NAMED;
  return names.join(', ') + (left > 0 ? ` and ${left} more` : '');
}

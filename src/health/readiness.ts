/** Can the warehouse be read? What readers depend on: fresh packages and storage, a disk with room, a -wal file that is small. */
import { measureDiskSpace, type DiskSpace } from '../database/files.ts';
import { errorMessage } from '../lib/errors.ts';
import { formatBinaryBytes, formatCount, pluralize } from '../lib/format.ts';
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
    const details = withDetails ? `: ${errorMessage(error)}` : '';
    return { ready: false, reasons: [{ what: 'file', says: `the live file cannot be read${details}` }] };
  }
}

/** At most three reasons, each of a few hundred characters. */
export function getReadiness({ streams, space }: ReadinessFacts, withDetails: boolean): Readiness {
  const { free, disk, wal } = space;
  const stale = streams.filter(({ isStale }) => isStale);
  const percent = ((free / Math.max(1, disk)) * 100).toFixed(1);
  const found = [
    {
      ...{ what: 'stale' as const, isSo: stale.length > 0, details: nameStreams(stale) },
      short: `${formatCount(stale.length)} of ${pluralize(streams.length, 'package or storage', 'packages and storages')} stale`,
    },
    {
      ...{ what: 'disk' as const, short: 'the disk of the warehouse is nearly full' },
      isSo: free < Math.min(FREE_SPACE.max, Math.max(FREE_SPACE.min, FREE_SPACE.share * disk)),
      details: `${formatBinaryBytes(free)} left (${percent} %), the next videos may not fit`,
    },
    {
      ...{
        what: 'wal' as const,
        isSo: wal > MAX_WAL_BYTES,
        short: 'the -wal file of the warehouse has grown',
      },
      details: `${formatBinaryBytes(wal)}, usually a reader holds the live file open in one long transaction, which blocks checkpoints`,
    },
  ];
  const reasons = found.filter(({ isSo }) => isSo);
  return {
    ready: reasons.length === 0,
    reasons: reasons.map(({ what, short, details }) => ({
      what,
      says: withDetails ? `${short}: ${details}` : short,
    })),
  };
}

/** The streams that were never read, then the longest unread. */
function nameStreams(stale: readonly Stream[]): string {
  const sorted = [...stale].sort((one, other) => ((one.at ?? '') < (other.at ?? '') ? -1 : 1));
  const names = sorted.slice(0, NAMED).map(({ account, packageId, at }) => {
    const name = packageId === null ? `storage of ${account}` : `${account}/${packageId}`;
    return `${name} (${at === null ? 'never read' : `read at ${at} UTC`})`;
  });
  const left = stale.length - NAMED;
  return names.join(', ') + (left > 0 ? ` and ${left} more` : '');
}

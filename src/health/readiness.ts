/** Is the warehouse fit to be read? What stands in the way, in words. Pure, but for the gathering of the facts. */
import { errorMessage } from '../lib/errors.ts';
import { measureDiskSpace, type DiskSpace } from '../database/disk-space.ts';
import { listStreams, type Stream, type StreamParts } from './streams.ts';

/** What readiness is judged by. */
export interface ReadinessFacts {
  streams: readonly Stream[];
  space: DiskSpace;
}

/** One thing that stands in the way: what to count it by, and a sentence without a full stop. */
export interface Reason {
  what: 'file' | 'stale' | 'disk' | 'wal';
  says: string;
}

export interface Readiness {
  ready: boolean;
  /** Empty where it is ready. */
  reasons: Reason[];
}

const MIB = 2 ** 20;
const GIB = 2 ** 30;
/** A disk is nearly full below this share of it; but on a small one below the least, and on a large one not above the most. */
const LEAST_FREE = { share: 0.02, least: 256 * MIB, most: 4 * GIB };
/** SQLite writes the -wal file back at about 4 MiB; one of so many bytes could not be, for long. */
const WAL_BYTES = 256 * MIB;
/** Of the streams that are stale, so many are named. */
const NAMED = 5;

/** Gathers the facts of now (ms) from the live file and its disk. */
export function readinessFacts(parts: StreamParts, now: number): ReadinessFacts {
  return { streams: listStreams(parts, now), space: measureDiskSpace(parts.config.warehouse) };
}

/** Says what stands in the way by name and figure: at most three reasons, of a few hundred characters each. */
export function readiness({ streams, space }: ReadinessFacts): Readiness {
  return judged(streams, space, {
    stale: (stale) => `${streamsAre(stale.length)} stale: ${namesOf(stale)}`,
    disk: `the disk of the warehouse has ${room(space.free)} left (${percent(space)} %): what is read next may not fit`,
    wal: `the -wal file beside the warehouse has grown to ${room(space.wal)}: usually a reader holds the live file open in one long transaction, and what was written since cannot be put into it`,
  });
}

/** The same for whoever is not let in: no name, no figure of the machine. */
export function readinessInCounts({ streams, space }: ReadinessFacts): Readiness {
  return judged(streams, space, {
    stale: (stale) => `${streamsAre(stale.length)} stale`,
    disk: 'the disk of the warehouse is nearly full',
    wal: 'the -wal file beside the warehouse has grown',
  });
}

/** Where not even the facts can be had; `isLetIn` is told why. */
export function unreadable(error: unknown, isLetIn: boolean): Readiness {
  const words = 'the live file cannot be read';
  return {
    ready: false,
    reasons: [{ what: 'file', says: isLetIn ? `${words}: ${errorMessage(error)}` : words }],
  };
}

interface Words {
  stale: (stale: readonly Stream[]) => string;
  disk: string;
  wal: string;
}

function judged(streams: readonly Stream[], space: DiskSpace, words: Words): Readiness {
  const stale = streams.filter(({ isStale }) => isStale);
  const reasons: Reason[] = [];
  if (stale.length > 0) reasons.push({ what: 'stale', says: words.stale(stale) });
  if (isNearlyFull(space)) reasons.push({ what: 'disk', says: words.disk });
  if (space.wal > WAL_BYTES) reasons.push({ what: 'wal', says: words.wal });
  return { ready: reasons.length === 0, reasons };
}

function isNearlyFull({ free, disk }: DiskSpace): boolean {
  const { share, least, most } = LEAST_FREE;
  return free < Math.min(most, Math.max(least, share * disk));
}

/** The first ones, the longest unread first. */
function namesOf(stale: readonly Stream[]): string {
  const longestFirst = [...stale].sort((one, other) => ((one.at ?? '') < (other.at ?? '') ? -1 : 1));
  const named = longestFirst.slice(0, NAMED).map(nameOf).join(', ');
  const left = stale.length - NAMED;
  return left > 0 ? `${named} and ${left} more` : named;
}

function nameOf({ account, packageId, at }: Stream): string {
  const name = packageId === null ? `storage of ${account}` : `${account}/${packageId}`;
  const [last, never] =
    packageId === null ? ['last read', 'never read'] : ['last walked whole', 'never walked'];
  return at === null ? `${name} (${never})` : `${name} (${last} at ${at} UTC)`;
}

function streamsAre(count: number): string {
  return count === 1 ? '1 stream is' : `${count} streams are`;
}

function room(bytes: number): string {
  return bytes < GIB ? `${Math.floor(bytes / MIB)} MiB` : `${(bytes / GIB).toFixed(1)} GiB`;
}

function percent({ free, disk }: DiskSpace): string {
  return ((free / Math.max(1, disk)) * 100).toFixed(1);
}

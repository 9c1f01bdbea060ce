/** Where an account was before `vodhouse move` brought it into its live file: what a target needs to know it again. */
import { createHash } from 'node:crypto';

/** One live file that an account has left. */
export interface Origin {
  /** Of the move that took it away from there. */
  moveId: string;
  /** The name that it had there. */
  account: string;
  warehouseId: string;
  /** The timeline that targets have of the account while that file loaded it. */
  timeline: string;
  /** The worker on that file, as targets know it (`Holder`): its lease need not be waited for. */
  instance: string;
  /** What the move added to each `change_seq` of the account. */
  seqOffset: number;
}

/** One live file that an account has left, as a target tells of it. */
export interface Stay {
  account: string;
  warehouseId: string;
  instance: string;
  /** What the target may have of the account while that file has claimed it: loads of the file, or of an earlier one. */
  timelines: readonly string[];
}

/** The live files that an account has left, the oldest first. */
export const listStays = (origins: readonly Origin[]): Stay[] =>
  origins.map(({ account, warehouseId, instance }, index) => ({
    ...{ account, warehouseId, instance },
    timelines: origins.slice(0, index + 1).map(({ timeline }) => timeline),
  }));

/** Has the account left the warehouse that a target names? `timeline`: of the rows in the target; null if there are none. */
export const hasLeft = (
  origins: readonly Origin[],
  { warehouseId, timeline }: { warehouseId: string; timeline: string | null },
): boolean =>
  listStays(origins).some(
    (stay) => stay.warehouseId === warehouseId && (timeline === null || stay.timelines.includes(timeline)),
  );

/** An account that was moved into a live file, or is moved out of it. */
export interface MovedAccount {
  account: string;
  state: 'here' | 'leaving' | 'left';
  /** The move that brought it; null for an account that began in this file. */
  arrivalId: string | null;
  /** All files that it was in before, the oldest first. */
  origins: readonly Origin[];
  /** The move that takes it away, or took it; null while it is `here`. */
  moveId: string | null;
  /** `here`: the file that it came from. Else the one that it goes to. */
  otherFile: string;
  otherWarehouseId: string;
  /** Of the last change of `state`: UTC, `YYYY-MM-DD HH:MM:SS`. */
  at: string;
}

/**
 * The timeline of an account in its targets: that of its live file, and for an account that was moved into it, one of its
 * own. So the numbers (`change_seq`) of two stays in the same file are never taken for each other.
 */
export function toAccountTimeline(timeline: string, arrivalId: string | null): string {
  if (arrivalId === null) return timeline;
  const hash = createHash('sha256').update(`${timeline} ${arrivalId}`).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

/** Did an account that was moved load this timeline? That of a live file is a random UUID, of version 4. */
export const isAccountTimeline = (timeline: string): boolean => timeline[14] === '8';

/** What a target says of an account: its name there, its warehouse, and the timeline of its rows. */
interface TargetRow {
  account: string;
  warehouseId: string;
  timeline: string | null;
}

/** Where accounts were, under whatever name, that are in this live file now. */
export const listFormerStays = (
  moves: readonly Pick<MovedAccount, 'account' | 'state' | 'origins'>[],
): Stay[] => moves.flatMap(({ state, origins }) => (state === 'here' ? listStays(origins) : []));

/** Are these the rows of an account that is in this live file now? It may have another name here. */
export const isFormerRow = (stays: readonly Stay[], { account, warehouseId, timeline }: TargetRow): boolean =>
  stays.some(
    (stay) =>
      stay.account === account &&
      stay.warehouseId === warehouseId &&
      timeline !== null &&
      stay.timelines.includes(timeline),
  );

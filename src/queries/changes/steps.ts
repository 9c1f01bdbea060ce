/** The rows of `video` and `video_version` as changes in time, the newest first, read in blocks as far as they are asked for. */
import type { Db } from '../../database/connection.ts';
import {
  FIRST_STATES,
  FIRST_STATES_OF_PACKAGE,
  LATER_STATES,
  LATER_STATES_OF_PACKAGE,
  type ChangeRow,
} from '../named/changes.ts';

/** `first`: videos as they were added; `later`: their changes. */
export type StepKind = 'first' | 'later';

/** In each list, the position to go on from. */
export type Positions = Record<StepKind, number>;

export interface StepRange {
  /** Above this position. */
  after: number;
  /** From this position down. */
  upto: number;
}

export type PackageFilter = { account: string; package_id: number } | null;

const FIRST_BLOCK = 64;
const LARGEST_BLOCK = 4_096;

/** Each block is larger than the one before: few steps are read fast, and many with few queries. */
export function* listSteps(
  db: Db,
  kind: StepKind,
  ofPackage: PackageFilter,
  { after, upto }: StepRange,
): Generator<ChangeRow, undefined> {
  for (let limit = FIRST_BLOCK; upto > after; limit = Math.min(limit * 4, LARGEST_BLOCK)) {
    const steps = readSteps(db, kind, ofPackage, { after, upto, limit });
    yield* steps;
    if (steps.length < limit) return;
    upto = (steps.at(-1)?.position ?? 0) - 1;
  }
}

function readSteps(
  db: Db,
  kind: StepKind,
  key: PackageFilter,
  part: StepRange & { limit: number },
): ChangeRow[] {
  if (key)
    return (kind === 'first' ? FIRST_STATES_OF_PACKAGE : LATER_STATES_OF_PACKAGE).all(db, {
      ...part,
      ...key,
    });
  return (kind === 'first' ? FIRST_STATES : LATER_STATES).all(db, part);
}

/**
 * The last position of a list, down from `upto`, whose time satisfies `isEarly`; 0: there is none. Times must rise with
 * positions.
 */
export function findLastPosition(
  db: Db,
  kind: StepKind,
  upto: number,
  isEarly: (at: string) => boolean,
): number {
  let [low, high, found] = [1, upto, 0];
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const [step] = readSteps(db, kind, null, { after: low - 1, upto: middle, limit: 1 });
    if (!step || isEarly(step.at)) {
      found = step?.position ?? found;
      low = middle + 1;
    } else {
      high = step.position - 1;
    }
  }
  return found;
}

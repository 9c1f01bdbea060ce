/** The list of videos and changes, the newest first, with filters. */
import type { Db } from '../../database/connection.ts';
import { prepareOnce } from '../../database/query.ts';
import {
  CHANGE_LISTS,
  LAST_POSITIONS,
  RUN_START,
  STEP_TIMES,
  type ChangeFilter,
  type ChangeRow,
  type StepKind,
} from '../named/changes.ts';
import type { PackageRow } from '../../sync/package-key.ts';
import { foldText, toLikePatterns } from './search-text.ts';

export interface ChangesRequest extends Omit<ChangeFilter, 'pattern' | 'decomposed'> {
  /** In `field`, in any case; empty: anything. */
  text: string;
  ofPackage: PackageRow | null;
  /** Where an earlier answer ended; null: at the newest. */
  from: Positions | null;
  limit: number;
}

export interface FoundChanges {
  changes: ChangeRow[];
  /** Where the next request continues; null if there are no more changes. */
  next: Positions | null;
}

/** The position in each list at which it continues. */
export type Positions = Record<StepKind, number>;

export const ANY_CHANGE = {
  kind: null,
  field: 'title',
  text: '',
  ofPackage: null,
  since: null,
  until: null,
  run_id: null,
  from: null,
  limit: 50,
} as const satisfies ChangesRequest;

/**
 * Finds the newest changes that match. Must be called in a snapshot, so that both lists show the same state.
 */
export function findChanges(db: Db, request: ChangesRequest): FoundChanges {
  const { kind, limit } = request;
  const isOfFirst = kind === 'imported' || kind === 'added' || kind === 'present';
  const first = kind === null || isOfFirst ? readList(db, 'first', request) : [];
  const later = isOfFirst ? [] : readList(db, 'later', request);
  // a change in the second in which its video was added is listed before that, so the later ones come first
  // here: the sort keeps the order of equal times
  const found = [...later, ...first].sort((one, other) =>
    one.at < other.at ? 1 : one.at > other.at ? -1 : 0,
  );
  const changes = found.slice(0, limit);
  const getNext = (rows: readonly ChangeRow[]) => rows.find((row) => !changes.includes(row))?.position ?? 0;
  return { changes, next: found.length > limit ? { first: getNext(first), later: getNext(later) } : null };
}

/** The newest changes of one list, one more than the limit. */
function readList(db: Db, list: StepKind, request: ChangesRequest): ChangeRow[] {
  const { ofPackage, text, from, limit, ...filter } = request;
  const after = findStart(db, list, request);
  if (after === null) return [];
  const folded = foldText(text);
  const { sql } = CHANGE_LISTS[ofPackage ? 'ofPackage' : 'ofFile'][list];
  const upto = from?.[list] ?? Number.MAX_SAFE_INTEGER;
  const params = { ...filter, ...toLikePatterns(text), ...ofPackage, after, upto };
  const rows: ChangeRow[] = [];
  for (const row of prepareOnce(db, sql).iterate(params) as IterableIterator<ChangeRow>) {
    if (foldText(row.searched).includes(folded) && rows.push(row) > limit) break;
  }
  return rows;
}

/**
 * The position after which a list has all changes of the requested day or run; null if there is no such run.
 */
function findStart(db: Db, list: StepKind, { run_id, since }: ChangesRequest): number | null {
  const run = run_id === null ? undefined : RUN_START.get(db, { run_id });
  if (run_id !== null && !run) return null;
  const [start] = [since, run?.started_at ?? null]
    .filter((each) => each !== null)
    .sort()
    .reverse();
  if (start === undefined) return 0;
  return findLastPosition(db, list, LAST_POSITIONS.one(db)[list], (at) => at < start);
}

/**
 * The last position of a list, down from `upto`, whose time satisfies `isEarly`; 0: there is none. Times must
 * rise with positions.
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
    const step = STEP_TIMES[kind].get(db, { after: low - 1, upto: middle });
    if (!step || isEarly(step.at)) {
      found = step?.position ?? found;
      low = middle + 1;
    } else {
      high = step.position - 1;
    }
  }
  return found;
}

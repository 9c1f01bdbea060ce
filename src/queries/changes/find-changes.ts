/** The list of videos and changes, the newest first, with filters. It goes through the file by position, and ends in time. */
import type { Db } from '../../database/connection.ts';
import {
  CHANGE_BLOCKS,
  LAST_POSITIONS,
  PACKAGE_POSITIONS,
  RUN_SPAN,
  STEP_TIMES,
  type ChangeFilter,
  type ChangeRow,
} from '../named/changes.ts';
import { foldText, toLikePatterns } from './search-text.ts';

export interface ChangesRequest extends Omit<ChangeFilter, 'pattern' | 'decomposed'> {
  /** In `field`, in any case; empty: anything. */
  text: string;
  ofPackage: { account: string; package_id: number } | null;
  /** Where an earlier answer ended; null: at the newest. */
  from: Positions | null;
  limit: number;
  /** After this time it stops. */
  maxMs: number;
}

export interface FoundChanges {
  changes: ChangeRow[];
  /** Where it goes on; null: all was read. */
  next: Positions | null;
  /** Why it stopped before the end. */
  stopped: 'limit' | 'time' | null;
}

/** `first`: videos as they were added; `later`: their changes. */
type StepKind = 'first' | 'later';

/** In each list, the position to go on from. */
export type Positions = Record<StepKind, number>;

/** From `upto` down, above `after`. */
interface Range {
  after: number;
  upto: number;
}

export const ANY_CHANGE = {
  ...{ kind: null, field: 'title', text: '', ofPackage: null, since: null, until: null, run_id: null },
  ...{ from: null, limit: 50, maxMs: 1_000 },
} as const satisfies ChangesRequest;

const FIRST_BLOCK = 64;
const LARGEST_BLOCK = 16_384;

/** Must run in one snapshot. */
export function findChanges(db: Db, request: ChangesRequest): FoundChanges {
  const endMs = performance.now() + request.maxMs;
  const lists = listStepKinds(request).map((kind) => createList(db, kind, request));
  const end = (stopped: FoundChanges['stopped']): FoundChanges => {
    const getPosition = (of: StepKind) => lists.find(({ kind }) => kind === of)?.getPosition() ?? 0;
    const next = stopped && { first: getPosition('first'), later: getPosition('later') };
    return { changes, next, stopped };
  };
  const changes: ChangeRow[] = [];
  for (;;) {
    const heads = lists.map((list) => ({ list, head: list.peek(endMs) }));
    if (heads.some(({ head }) => head === 'late')) return end('time');
    const found = heads.flatMap(({ list, head }) => (head && head !== 'late' ? [{ list, head }] : []));
    // a change of the second in which its video was added stands above that: `later` is the first list
    const newest = found.reduce<(typeof found)[number] | undefined>(
      (one, other) => (one && one.head.at >= other.head.at ? one : other),
      undefined,
    );
    if (!newest) return end(null);
    if (changes.length === request.limit) return end('limit');
    changes.push(newest.head);
    newest.list.skip();
  }
}

function listStepKinds({ kind }: ChangesRequest): StepKind[] {
  if (kind === null) return ['later', 'first'];
  return kind === 'added' || kind === 'present' ? ['first'] : ['later'];
}

/** One list; it is read in blocks, each larger than the one before. */
function createList(db: Db, kind: StepKind, request: ChangesRequest) {
  const range = findRange(db, kind, request);
  const readBlock = createBlockReader(db, kind, request, range);
  let { upto } = range;
  let rows: ChangeRow[] = [];
  let size = FIRST_BLOCK;
  return {
    kind,
    /** Its newest change that is left; undefined: there is none; `late`: none was found in time. */
    peek: (endMs: number): ChangeRow | 'late' | undefined => {
      while (rows.length === 0 && upto > range.after) {
        ({ rows, upto } = readBlock(upto, size));
        size = Math.min(size * 4, LARGEST_BLOCK);
        if (rows.length === 0 && upto > range.after && performance.now() > endMs) return 'late';
      }
      return rows[0];
    },
    skip: (): void => void rows.shift(),
    getPosition: () => rows[0]?.position ?? upto,
  };
}

/** The returned function looks at `size` rows from `upto` down, and says where it ended. */
function createBlockReader(db: Db, kind: StepKind, request: ChangesRequest, { after, upto }: Range) {
  const { ofPackage, text, ...filter } = request;
  const { all } = CHANGE_BLOCKS[ofPackage ? 'ofPackage' : 'ofFile'][kind];
  const ofPart = ofPackage && PACKAGE_POSITIONS[kind].all(db, { ...ofPackage, after, upto });
  const folded = foldText(text);
  const patterns = toLikePatterns(text);
  const limit = request.limit + 1;
  let at = 0;

  const findBlock = (from: number, size: number) => {
    if (!ofPart) return { end: Math.max(after, from - size), positions: [] };
    while ((ofPart[at]?.position ?? 0) > from) at++;
    const positions = ofPart.slice(at, at + size).map(({ position }) => position);
    return { end: positions.length < size ? after : (positions.at(-1) ?? 1) - 1, positions };
  };
  return (from: number, size: number) => {
    const { end, positions } = findBlock(from, size);
    const block = { ...filter, ...patterns, limit, after: end, upto: from };
    const rows = all(db, { ...block, positions: JSON.stringify(positions) });
    return {
      rows: rows.filter(({ searched }) => foldText(searched).includes(folded)),
      upto: rows.length === limit ? (rows.at(-1)?.position ?? 1) - 1 : end,
    };
  };
}

function findRange(db: Db, kind: StepKind, { run_id, since, until, from }: ChangesRequest): Range {
  const last = LAST_POSITIONS.one(db, {})[kind];
  const upto = Math.min(last, from?.[kind] ?? last);
  const run = run_id === null ? null : (RUN_SPAN.get(db, { run_id }) ?? 'unknown');
  if (run === 'unknown') return { after: 0, upto: 0 };
  // a removal may take effect long after its proof: in `later`, the end of a day is no position
  const end = run?.finished_at ?? null;
  const start = [since, run?.started_at]
    .filter((each) => typeof each === 'string')
    .toSorted()
    .at(-1);
  const untilRow = kind === 'first' ? until : null;
  const find = (isEarly: (at: string) => boolean) => findLastPosition(db, kind, last, isEarly);
  return {
    after: start === undefined ? 0 : find((at) => at < start),
    upto: Math.min(
      upto,
      end === null ? upto : find((at) => at <= end),
      untilRow === null ? upto : find((at) => at < untilRow),
    ),
  };
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

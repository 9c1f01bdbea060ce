/** The list of all changes, the newest first, with filters. It goes through the file by position, and ends in time. */
import type { Db } from '../../database/connection.ts';
import type { Change } from '../../database/schema/videos.ts';
import { LAST_POSITIONS, RUN_FROM, type ChangeRow } from '../named/changes.ts';
import { findLastPosition, listSteps, type PackageFilter, type Positions, type StepKind } from './steps.ts';

export interface ChangesRequest {
  /** Null: any. */
  kind: Change | null;
  ofPackage: PackageFilter;
  runId: number | null;
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

/** Steps between two looks at the clock. */
const STEPS_PER_LOOK = 256;

/** Must run in one snapshot. */
export function findChanges(db: Db, request: ChangesRequest): FoundChanges {
  const { kind, runId, limit, maxMs } = request;
  const endMs = performance.now() + maxMs;
  const lists = openLists(db, request);
  const changes: ChangeRow[] = [];
  for (let steps = 1; ; steps++) {
    const step = lists.peek();
    if (!step) return { changes, next: null, stopped: null };
    if (changes.length === limit) return { changes, next: lists.getPositions(), stopped: 'limit' };
    const isLate = steps % STEPS_PER_LOOK === 0 && performance.now() > endMs;
    if (isLate) return { changes, next: lists.getPositions(), stopped: 'time' };
    lists.skip();
    if ((kind ?? step.change) === step.change && (runId ?? step.run_id) === step.run_id) changes.push(step);
  }
}

/** Both lists as one, by time. */
function openLists(db: Db, request: ChangesRequest) {
  const lists = (['later', 'first'] as const)
    .filter((each) => isWanted(each, request.kind))
    .map((each) => ({
      kind: each,
      steps: listSteps(db, each, request.ofPackage, findRange(db, each, request)),
    }))
    .map((list) => ({ ...list, head: list.steps.next().value }));
  const getNewest = () =>
    lists.reduce<(typeof lists)[number] | undefined>(
      (newest, list) => (list.head && list.head.at > (newest?.head?.at ?? '') ? list : newest),
      undefined,
    );
  const getPosition = (kind: StepKind) => lists.find((list) => list.kind === kind)?.head?.position ?? 0;
  return {
    peek: () => getNewest()?.head,
    skip: (): void => {
      const newest = getNewest();
      if (newest) newest.head = newest.steps.next().value;
    },
    getPositions: (): Positions => ({ first: getPosition('first'), later: getPosition('later') }),
  };
}

function isWanted(list: StepKind, kind: Change | null): boolean {
  return kind === null || (kind === 'added') === (list === 'first');
}

function findRange(db: Db, list: StepKind, { runId, from }: ChangesRequest) {
  const last = LAST_POSITIONS.one(db, {})[list];
  const upto = Math.min(last, from?.[list] ?? last);
  if (runId === null) return { after: 0, upto };
  const run = RUN_FROM.get(db, { run_id: runId });
  if (run?.run_id !== runId) return { after: 0, upto: 0 };
  const { started_at: start, finished_at: end } = run;
  return {
    after: findLastPosition(db, list, last, (at) => at < start),
    upto:
      end === null
        ? upto
        : Math.min(
            upto,
            findLastPosition(db, list, last, (at) => at <= end),
          ),
  };
}

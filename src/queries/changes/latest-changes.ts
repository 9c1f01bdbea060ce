/** The latest additions, edits and removals; many of one run in one package are one line. */
import type { Db } from '../../database/connection.ts';
import { ADDED, EDITED, REMOVED, type Added, type Edited, type Removed } from '../named/changes.ts';
import type { ChangeKind } from './find-changes.ts';
import { createRunFinder, type RunFinder } from './runs-of-changes.ts';

/** Superseded states among which edits are searched: a large removal leaves as many states. */
const EDITS_AMONG = 1_000;

/** More than these of one run in one package are one line. */
const MOST_SINGLE = 5;

/** Rows that are read to fill the lines: more of them where the first ones are of a few runs. */
const READS = [50, 250];

/** Many changes of a run in one package. */
export interface ChangeGroup {
  kind: ChangeKind;
  run_id: number;
  account: string;
  package_id: number;
  package_name: string | null;
  count: number;
  at: string;
}

/** One change, or many. */
export type ChangeLine<Row> = { video: Row } | { group: ChangeGroup };

export interface LatestChanges {
  added: ChangeLine<Added>[];
  edited: ChangeLine<Edited>[];
  removed: ChangeLine<Removed>[];
}

/** At most `lines` of each kind. Must run in one snapshot. */
export function readLatestChanges(db: Db, lines: number): LatestChanges {
  const finder = createRunFinder(db);
  const fill = <Row extends VideoColumns>(read: (limit: number) => Row[], toChange: ToChange<Row>) =>
    fillLines({ read, toChange, finder, lines });
  return {
    added: fill(
      (limit) => ADDED.all(db, { limit }),
      ({ first_seen_at: at }) => ['added', at],
    ),
    edited: fill(
      (limit) => EDITED.all(db, { window: EDITS_AMONG, limit }),
      ({ restored, at }) => [restored === 1 ? 'restored' : 'edited', at],
    ),
    removed: fill(
      (limit) => REMOVED.all(db, { limit }),
      ({ changed_at: at, removed_at: provedAt }) => ['removed', at, provedAt],
    ),
  };
}

type VideoColumns = { account: string; package_id: number; package_name: string | null };

/** `shownAt`: where it is another time than that of the run. */
type ToChange<Row> = (row: Row) => [kind: ChangeKind, at: string, shownAt?: string];

interface Filling<Row> {
  read: (limit: number) => Row[];
  toChange: ToChange<Row>;
  finder: RunFinder;
  lines: number;
}

function fillLines<Row extends VideoColumns>(filling: Filling<Row>): ChangeLine<Row>[] {
  let found: ChangeLine<Row>[] = [];
  for (const limit of READS) {
    const rows = filling.read(limit);
    found = groupRows(rows, filling);
    if (found.length >= filling.lines || rows.length < limit) break;
  }
  return found.slice(0, filling.lines);
}

function groupRows<Row extends VideoColumns>(
  rows: readonly Row[],
  { toChange, finder }: Filling<Row>,
): ChangeLine<Row>[] {
  const grouped = new Set<string>();
  return rows.flatMap((row): ChangeLine<Row>[] => {
    const [kind, at, shownAt = at] = toChange(row);
    const run = finder.find(row, at);
    const count = run?.changes[kind] ?? 0;
    if (!run || count <= MOST_SINGLE) return [{ video: row }];
    const { account, package_id, package_name } = row;
    const key = `${kind} ${run.run_id} ${account}/${package_id}`;
    if (grouped.has(key)) return [];
    grouped.add(key);
    return [{ group: { kind, run_id: run.run_id, account, package_id, package_name, count, at: shownAt } }];
  });
}

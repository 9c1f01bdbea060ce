/**
 * What runs and walks changed, in words and in cells; and the table of walks, on the pages of a run and of a
 * package.
 */
import { WALK_CHANGES, type WalkChange, type Status, type Trigger } from '../../database/schema/values.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import { capitalize, formatCount, formatDuration } from '../../lib/format.ts';
import type { RunRow } from '../../queries/named/runs.ts';
import type { PackageWalk } from '../../queries/named/videos.ts';
import { formatElapsed, Message, RelativeTime, StatusLabel } from './format.tsx';
import { Table, type Column } from './table.tsx';

type Counts = Record<WalkChange, number>;

/** A column for each kind of change; a cell is empty for 0. */
export const COUNT_COLUMNS: readonly Column<Counts>[] = WALK_CHANGES.map((change) => [
  capitalize(change),
  (row) => (row[change] === 0 ? '' : formatCount(row[change])),
  'number',
]);

export const TRIGGERS: Record<Trigger, string> = {
  schedule: 'scheduled',
  catch_up: 'catch-up',
  manual: 'manual',
};

/** What the columns of counts do not show. */
export function listRemarks(row: { quarantined?: number; held_back?: number; unsettled?: number }): string[] {
  const { quarantined = 0, held_back: held = 0, unsettled = 0 } = row;
  return [
    ...(quarantined > 0 ? [`${formatCount(quarantined)} quarantined`] : []),
    ...(held > 0 ? [`${formatCount(held)} held back`] : []),
    ...(unsettled > 0 ? [`${formatCount(unsettled)} unsettled`] : []),
  ];
}

export const hasChanges = (row: Counts): boolean => WALK_CHANGES.some((change) => row[change] > 0);

/** `3 added, 1 removed, 1 quarantined`; `no change`. */
export function formatRunChanges(run: RunRow): string {
  const changes = WALK_CHANGES.flatMap((change) =>
    run[change] > 0 ? `${formatCount(run[change])} ${change}` : [],
  );
  return [...(changes.length > 0 ? changes : ['no change']), ...listRemarks(run)].join(', ');
}

/** A walk of any page; the numbers that its query leaves out are not shown. */
export interface ShownWalk extends Omit<PackageWalk, 'run_id' | 'held_back'> {
  held_back?: number;
  quarantined?: number;
  unsettled?: number;
  /** Between its requests. */
  waited_ms?: number | undefined;
}

/** UTC, `YYYY-MM-DD HH:MM:SS`; `finished_at` null: until now. */
interface Span {
  started_at: string;
  finished_at: string | null;
}

/** A run or a walk with its time, its status, and what that lacks. */
type Timed = Parameters<typeof listRemarks>[0] & Span & { status: Status };

/** Columns with the start, the duration and the status of a run or a walk. */
export const timeColumns = (now: number): readonly [Column<Timed>, Column<Timed>, Column<Timed>] => [
  ['Started', (row) => <RelativeTime at={row.started_at} now={now} />, 'nowrap'],
  ['Duration', (row) => row.finished_at !== null && formatElapsed(row.started_at, row.finished_at), 'nowrap'],
  [
    'Status',
    (row) => (
      <>
        <StatusLabel status={row.status} /> <small class="soft">{listRemarks(row).join(', ')}</small>
      </>
    ),
  ],
];

interface WalkTableProps<Walk extends ShownWalk> {
  walks: readonly Walk[];
  now: number;
  /** The first column. */
  first: Column<Walk>;
  /** The run that made all of them: each walk is a bar in its time. */
  run?: Span;
}

/** Durations of walks have whole seconds: shorter waits are not shown. */
export const hasWaited = ({ waited_ms: ms = 0 }: { waited_ms?: number | undefined }): boolean => ms >= 1_000;

const WAITED: Column<ShownWalk> = [
  'Waited',
  (walk) => hasWaited(walk) && formatDuration(walk.waited_ms ?? 0),
  'number',
];

/** In the section `walks`. */
export function WalkTable<Walk extends ShownWalk>({ walks, now, first, run }: WalkTableProps<Walk>) {
  const [started, duration, status] = timeColumns(now);
  const inRun = (span: Span): Column<Walk> => [
    'In the run',
    (walk) => <Bar walk={walk} run={span} now={now} />,
    'roomy',
  ];
  return (
    <Table<Walk>
      label={{ by: 'walks-heading' }}
      class="runs"
      rows={walks}
      columns={[
        first,
        ...(run ? [inRun(run), duration] : [started, duration]),
        ...(walks.some(hasWaited) ? [WAITED] : []),
        status,
        ...COUNT_COLUMNS,
        ['Pages', ({ pages }) => formatCount(pages), 'number'],
        ['Requests', ({ requests }) => formatCount(requests), 'number'],
      ]}
      below={({ error }) => !run && error !== null && <Message text={error} />}
    />
  );
}

const WIDTH = 160;
const HEIGHT = 10;

/** When in its run a walk was made, and how long. */
function Bar({ walk, run, now }: { walk: Span; run: Span; now: number }) {
  const toMs = (at: string | null) => (at === null ? now : fromTimestamp(at));
  const begin = fromTimestamp(run.started_at);
  const length = Math.max(1_000, toMs(run.finished_at) - begin);
  const toX = (ms: number) => Math.min(WIDTH, Math.max(0, Math.round(((ms - begin) / length) * WIDTH)));
  const [from, to] = [toX(fromTimestamp(walk.started_at)), toX(toMs(walk.finished_at))];
  return (
    <svg class="span" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img">
      <title>{`began ${formatElapsed(run.started_at, walk.started_at)} after the run`}</title>
      <rect x={Math.min(from, WIDTH - 2)} y={0} width={Math.max(2, to - from)} height={HEIGHT} />
    </svg>
  );
}

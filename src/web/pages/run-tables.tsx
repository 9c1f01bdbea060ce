/** The tables of runs and of walks: what they changed, and why one failed. */
import type { VNode } from 'preact';
import type { Trigger } from '../../database/schema/runs.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import { formatCount, pluralize } from '../../lib/format.ts';
import type { RunRow } from '../../queries/named/status.ts';
import type { PackageWalk } from '../../queries/named/videos.ts';
import {
  formatChanges,
  formatElapsed,
  Message,
  RelativeTime,
  runPath,
  StatusLabel,
  Timestamp,
} from './format.tsx';
import { Table, type TableProps } from './table.tsx';

interface Counts {
  inserted: number;
  updated: number;
  removed: number;
  restored: number;
}

/** Words are those of the published file. */
const COUNT_HEAD = ['>Added', '>Edited', '>Removed', '>Restored'];

/** Four cells; nothing for 0. */
function CountCells({ inserted, updated, removed, restored }: Counts) {
  const counts = [inserted, updated, removed, restored];
  return (
    <>
      {counts.map((count, index) => (
        <td key={COUNT_HEAD[index]} class="number">
          {count === 0 ? '' : formatCount(count)}
        </td>
      ))}
    </>
  );
}

const RUN_HEAD = ['Run', 'Started', 'Duration', 'Status', ...COUNT_HEAD, '>Requests'];

interface RunTableProps extends Pick<TableProps, 'label'> {
  runs: readonly RunRow[];
  now: number;
}

export function RunTable({ label, runs, now }: RunTableProps) {
  return (
    <Table label={label} head={RUN_HEAD}>
      {runs.map((run) => (
        <RunRows key={run.run_id} run={run} now={now} />
      ))}
    </Table>
  );
}

function RunRows({ run, now }: { run: RunRow; now: number }) {
  const elapsed = run.finished_at === null ? '' : formatElapsed(run.started_at, run.finished_at);
  return (
    <>
      <tr>
        <th scope="row">
          <a href={runPath(run.run_id)}>{run.run_id}</a>{' '}
          <small class="soft">
            <span class="nowrap">{`${run.mode}, ${TRIGGERS[run.trigger]}`}</span>
            {run.scope !== null && `, ${run.scope}`}
          </small>
        </th>
        <td class="nowrap">
          <RelativeTime at={run.started_at} now={now} />
        </td>
        <td class="nowrap">{elapsed}</td>
        <td>
          <StatusLabel status={run.status} /> <small class="soft">{listRunRemarks(run).join(', ')}</small>
        </td>
        <CountCells {...run} />
        <td class="number">{run.status === 'running' ? '' : formatCount(run.requests)}</td>
      </tr>
      {run.error !== null && (
        <tr class="why">
          <td />
          <td colSpan={8}>
            <Message text={run.error} />
            {run.resume_at !== null && (
              <>
                ; it can resume at <Timestamp at={run.resume_at} />
              </>
            )}
          </td>
        </tr>
      )}
    </>
  );
}

export const TRIGGERS: Record<Trigger, string> = {
  schedule: 'scheduled',
  catch_up: 'catch-up',
  manual: 'manual',
};

/** What the columns of numbers lack. */
const listRunRemarks = (run: RunRow): string[] => [
  ...(run.quarantined > 0 ? [`${formatCount(run.quarantined)} quarantined`] : []),
  ...listFailed(run),
];

const listFailed = ({ failed_walks: failed }: RunRow): string[] =>
  failed > 0 ? [`${pluralize(failed, 'package')} failed`] : [];

export const formatRunChanges = (run: RunRow): string => [formatChanges(run), ...listFailed(run)].join(', ');

/** A walk of any page; the numbers that its query leaves out are not shown. */
export interface ShownWalk extends Omit<PackageWalk, 'run_id' | 'held_back'> {
  held_back?: number;
  quarantined?: number;
  unsettled?: number;
  resumed?: boolean;
}

/** UTC, `YYYY-MM-DD HH:MM:SS`; `finished_at` null: until now. */
interface Span {
  started_at: string;
  finished_at: string | null;
}

interface WalkTableProps<Walk extends ShownWalk> extends Pick<TableProps, 'label'> {
  walks: readonly Walk[];
  now: number;
  /** The heading of the first column: `Package` or `Run`. */
  first: string;
  /** What that column shows. */
  showFirst: (walk: Walk) => VNode;
  /** The run that made all of them: each walk is a bar in its time. */
  run?: Span;
}

export function WalkTable<Walk extends ShownWalk>(props: WalkTableProps<Walk>) {
  const { label, walks, now, first, showFirst, run } = props;
  const head = [
    first,
    run ? 'In the run' : 'Started',
    'Duration',
    'Status',
    ...COUNT_HEAD,
    '>Pages',
    '>Requests',
  ];
  return (
    <Table label={label} head={head}>
      {walks.map((walk) => (
        <WalkRows key={walk.walk_id} walk={walk} now={now} first={showFirst(walk)} run={run} />
      ))}
    </Table>
  );
}

type RowsProps = { walk: ShownWalk; now: number; first: VNode; run: Span | undefined };

function WalkRows({ walk, now, first, run }: RowsProps) {
  const { status, pages, requests, started_at: start, finished_at: end, error } = walk;
  return (
    <>
      <tr>
        <th scope="row">{first}</th>
        <td class="nowrap">
          {run ? <Bar walk={walk} run={run} now={now} /> : <RelativeTime at={start} now={now} />}
        </td>
        <td class="nowrap">{end === null ? '' : formatElapsed(start, end)}</td>
        <td>
          <StatusLabel status={status} /> <small class="soft">{listWalkRemarks(walk).join(', ')}</small>
        </td>
        <CountCells {...walk} />
        <td class="number">{formatCount(pages)}</td>
        <td class="number">{formatCount(requests)}</td>
      </tr>
      {error !== null && (
        <tr class="why">
          <td />
          <td colSpan={9}>
            <Message text={error} />
          </td>
        </tr>
      )}
    </>
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

function listWalkRemarks({
  quarantined = 0,
  unsettled = 0,
  held_back: held = 0,
  resumed = false,
}: ShownWalk): string[] {
  return [
    ...(quarantined > 0 ? [`${formatCount(quarantined)} quarantined`] : []),
    ...(held > 0 ? [`${formatCount(held)} held back`] : []),
    ...(unsettled > 0 ? [`${formatCount(unsettled)} unsettled`] : []),
    ...(resumed ? ['resumed'] : []),
  ];
}

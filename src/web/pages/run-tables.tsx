/** What runs and walks changed, in words and in cells; and the table of walks, on the pages of a run and of a package. */
import type { VNode } from 'preact';
import type { Trigger } from '../../database/schema/runs.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import { formatCount, pluralize } from '../../lib/format.ts';
import type { RunRow } from '../../queries/named/status.ts';
import type { PackageWalk } from '../../queries/named/videos.ts';
import { formatElapsed, Message, RelativeTime, StatusLabel } from './format.tsx';
import { Table, type TableProps } from './table.tsx';

/** What walks count, in the words of the published file. */
const COUNTS = [
  ['inserted', 'added'],
  ['updated', 'edited'],
  ['removed', 'removed'],
  ['restored', 'restored'],
] as const;

type Counts = Record<(typeof COUNTS)[number][0], number>;

export const COUNT_HEAD = COUNTS.map(([, word]) => `>${word.charAt(0).toUpperCase()}${word.slice(1)}`);

/** Four cells; nothing for 0. */
export function CountCells({ counts }: { counts: Counts }) {
  return (
    <>
      {COUNTS.map(([name]) => (
        <td key={name} class="number">
          {counts[name] === 0 ? '' : formatCount(counts[name])}
        </td>
      ))}
    </>
  );
}

export const TRIGGERS: Record<Trigger, string> = {
  schedule: 'scheduled',
  catch_up: 'catch-up',
  manual: 'manual',
};

/** What the cells of counts lack. */
export function listRemarks(row: {
  failed_walks?: number;
  quarantined?: number;
  held_back?: number;
  unsettled?: number;
}): string[] {
  const { failed_walks: failed = 0, quarantined = 0, held_back: held = 0, unsettled = 0 } = row;
  return [
    ...(quarantined > 0 ? [`${formatCount(quarantined)} quarantined`] : []),
    ...(held > 0 ? [`${formatCount(held)} held back`] : []),
    ...(unsettled > 0 ? [`${formatCount(unsettled)} unsettled`] : []),
    ...(failed > 0 ? [`${pluralize(failed, 'package')} failed`] : []),
  ];
}

/** `3 added, 1 removed, 1 package failed`; `no change`. */
export function formatRunChanges(run: RunRow): string {
  const changes = COUNTS.flatMap(([name, word]) =>
    run[name] > 0 ? `${formatCount(run[name])} ${word}` : [],
  );
  return [...(changes.length > 0 ? changes : ['no change']), ...listRemarks(run)].join(', ');
}

/** A walk of any page; the numbers that its query leaves out are not shown. */
export interface ShownWalk extends Omit<PackageWalk, 'run_id' | 'held_back'> {
  held_back?: number;
  quarantined?: number;
  unsettled?: number;
}

/** UTC, `YYYY-MM-DD HH:MM:SS`; `finished_at` null: until now. */
interface Span {
  started_at: string;
  finished_at: string | null;
}

interface WalkTableProps<Walk extends ShownWalk> extends Pick<TableProps, 'label'> {
  walks: readonly Walk[];
  now: number;
  /** The heading of the first column, and what that shows. */
  first: string;
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
    <Table label={label} class="runs" head={head}>
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
          <StatusLabel status={status} /> <small class="soft">{listRemarks(walk).join(', ')}</small>
        </td>
        <CountCells counts={walk} />
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

/** The table of walks: of a run by package, of a package by run. */
import type { VNode } from 'preact';
import type { Mode, Status } from '../../database/schema/runs.ts';
import { formatCount } from '../../lib/format.ts';
import { formatChanges, formatElapsed, Message, RelativeTime, StatusLabel } from './format.tsx';
import { Table, type TableProps } from './table.tsx';

export interface ShownWalk {
  walk_id: number;
  mode: Mode;
  status: Status;
  started_at: string;
  finished_at: string | null;
  pages: number;
  requests: number;
  inserted: number;
  updated: number;
  removed: number;
  restored: number;
  quarantined?: number;
  unsettled?: number;
  held_back?: number;
  resumed?: boolean;
  error: string | null;
}

interface WalkTableProps<Walk extends ShownWalk> extends Pick<TableProps, 'label'> {
  walks: readonly Walk[];
  now: number;
  /** The heading of the first column: `Package` or `Run`. */
  first: string;
  /** What that column shows. */
  showFirst: (walk: Walk) => VNode;
}

export function WalkTable<Walk extends ShownWalk>(props: WalkTableProps<Walk>) {
  const { label, walks, now, first, showFirst } = props;
  const head = [first, 'Started', 'Duration', 'Status', 'Changes', '>Pages', '>Requests'];
  return (
    <Table label={label} head={head}>
      {walks.map((walk) => (
        <WalkRows key={walk.walk_id} walk={walk} now={now} first={showFirst(walk)} />
      ))}
    </Table>
  );
}

function WalkRows({ walk, now, first }: { walk: ShownWalk; now: number; first: VNode }) {
  const { status, pages, requests, started_at: start, finished_at: end, error } = walk;
  return (
    <>
      <tr>
        <th scope="row">{first}</th>
        <td class="nowrap">
          <RelativeTime at={start} now={now} />
        </td>
        <td class="nowrap">{end === null ? '' : formatElapsed(start, end)}</td>
        <td>
          <StatusLabel status={status} />
        </td>
        <td>{[formatChanges(walk), ...listRemarks(walk)].join(', ')}</td>
        <td class="number">{formatCount(pages)}</td>
        <td class="number">{formatCount(requests)}</td>
      </tr>
      {error !== null && (
        <tr class="why">
          <td />
          <td colSpan={6}>
            <Message text={error} />
          </td>
        </tr>
      )}
    </>
  );
}

function listRemarks({ unsettled = 0, held_back: held = 0, resumed = false }: ShownWalk): string[] {
  return [
    ...(held > 0 ? [`${formatCount(held)} held back`] : []),
    ...(unsettled > 0 ? [`${formatCount(unsettled)} unsettled`] : []),
    ...(resumed ? ['resumed'] : []),
  ];
}

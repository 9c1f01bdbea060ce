/** The table of runs: what they changed, and why one failed. */
import type { Trigger } from '../../database/schema/runs.ts';
import { formatCount, pluralize } from '../../lib/format.ts';
import type { RunRow } from '../../queries/named/status.ts';
import {
  formatChanges,
  formatElapsed,
  Message,
  RelativeTime,
  runPath,
  StatusLabel,
  Timestamp,
} from './format.tsx';
import { COUNT_HEAD, CountCells } from './count-cells.tsx';
import { Table, type TableProps } from './table.tsx';

const HEAD = ['Run', 'Started', 'Duration', 'Status', ...COUNT_HEAD, '>Requests'];

interface RunTableProps extends Pick<TableProps, 'label'> {
  runs: readonly RunRow[];
  now: number;
}

export function RunTable({ label, runs, now }: RunTableProps) {
  return (
    <Table label={label} head={HEAD}>
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
          <StatusLabel status={run.status} /> <small class="soft">{listRemarks(run).join(', ')}</small>
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
const listRemarks = (run: RunRow): string[] => [
  ...(run.quarantined > 0 ? [`${formatCount(run.quarantined)} quarantined`] : []),
  ...listFailed(run),
];

const listFailed = ({ failed_walks: failed }: RunRow): string[] =>
  failed > 0 ? [`${pluralize(failed, 'package')} failed`] : [];

export const formatRunChanges = (run: RunRow): string => [formatChanges(run), ...listFailed(run)].join(', ');

/** The last runs: what they changed, and why one failed. */
import { formatCount, pluralize } from '../../lib/format.ts';
import type { HealthReport } from '../../health/report.ts';
import { formatChanges, formatElapsed, RelativeTime, StatusLabel } from './format.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

type Run = HealthReport['runs'][number];

const HEAD = ['Run', 'Started', 'Duration', 'Status', 'Changes', '>Requests'];

export function RunsSection({ runs, now }: { runs: readonly Run[]; now: number }) {
  return (
    <Section name="runs" heading="Last runs" part empty={runs.length === 0 ? 'None yet.' : undefined}>
      <Table label={{ by: 'runs-heading' }} head={HEAD}>
        {runs.map((run) => (
          <RunRows key={run.run_id} run={run} now={now} />
        ))}
      </Table>
    </Section>
  );
}

function RunRows({ run, now }: { run: Run; now: number }) {
  const elapsed = run.finished_at === null ? '' : formatElapsed(run.started_at, run.finished_at);
  return (
    <>
      <tr>
        <th scope="row">
          {run.run_id}{' '}
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
          <StatusLabel status={run.status} />
        </td>
        <td>{formatRunChanges(run)}</td>
        <td class="number">{run.status === 'running' ? '' : formatCount(run.requests)}</td>
      </tr>
      {run.error !== null && (
        <tr class="why">
          <td />
          <td colSpan={5}>
            <bdi>{run.error}</bdi>
            {run.resume_at !== null && `; it can resume at ${run.resume_at} UTC`}
          </td>
        </tr>
      )}
    </>
  );
}

const TRIGGERS: Record<Run['trigger'], string> = {
  schedule: 'scheduled',
  catch_up: 'catch-up',
  manual: 'manual',
};

function formatRunChanges(run: Run): string {
  const failed = run.failed_walks > 0 ? `, ${pluralize(run.failed_walks, 'package')} failed` : '';
  return formatChanges(run) + failed;
}

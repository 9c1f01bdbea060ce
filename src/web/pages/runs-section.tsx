/** The last runs: what they did, and why one failed. */
import { formatCount, pluralize } from '../../lib/format.ts';
import type { Standing } from '../../health/report.ts';
import { RelativeTime, formatElapsed } from './format.tsx';
import { Table } from './table.tsx';

type Run = Standing['runs'][number];

export function RunsSection({ runs, now }: { runs: readonly Run[]; now: number }) {
  return (
    <section id="runs" class="card" data-part aria-labelledby="runs-heading">
      <h2 id="runs-heading">Last runs</h2>
      {runs.length === 0 ? <p class="soft">None yet.</p> : <RunTable runs={runs} now={now} />}
    </section>
  );
}

function RunTable({ runs, now }: { runs: readonly Run[]; now: number }) {
  const head = ['Run', 'Began', 'Took', 'Ended', 'What it did', '>Requests'];
  return (
    <Table label={{ by: 'runs-heading' }} head={head}>
      {runs.map((run) => (
        <RunRows key={run.run_id} of={run} now={now} />
      ))}
    </Table>
  );
}

const LEVELS: Record<Run['status'], string> = {
  running: 'new',
  succeeded: 'good',
  partial: 'look',
  failed: 'bad',
  parked: 'look',
  interrupted: 'look',
};

function RunRows({ of: run, now }: { of: Run; now: number }) {
  const took = run.finished_at === null ? '' : formatElapsed(run.started_at, run.finished_at);
  return (
    <>
      <tr>
        <th scope="row">
          {run.run_id} <small class="soft">{whichRun(run)}</small>
        </th>
        <td class="nowrap">
          <RelativeTime at={run.started_at} now={now} />
        </td>
        <td class="nowrap">{took}</td>
        <td>
          <span class={`state ${LEVELS[run.status]}`}>{run.status}</span>
        </td>
        <td>{whatItDid(run)}</td>
        <td class="number">{run.status === 'running' ? '' : formatCount(run.requests)}</td>
      </tr>
      {run.error !== null && (
        <tr class="why">
          <td />
          <td colSpan={5}>
            <bdi>{run.error}</bdi>
            {run.resume_at !== null && `; it may go on from ${run.resume_at} UTC`}
          </td>
        </tr>
      )}
    </>
  );
}

const TRIGGERS: Record<Run['trigger'], string> = {
  schedule: 'by schedule',
  catch_up: 'catching up',
  manual: 'by hand',
};

function whichRun({ mode, trigger, scope }: Run): string {
  return [mode, TRIGGERS[trigger], ...(scope === null ? [] : [scope])].join(', ');
}

/** What its walks came to, in words. */
export function whatItDid(run: Run): string {
  const changes = [
    [run.inserted, 'added'],
    [run.updated, 'edited'],
    [run.removed, 'removed'],
    [run.restored, 'came back'],
    [run.quarantined, 'into quarantine'],
  ] as const;
  const said = changes.flatMap(([number, word]) => (number > 0 ? [`${formatCount(number)} ${word}`] : []));
  const failed = run.failed_walks > 0 ? [`${pluralize(run.failed_walks, 'package')} failed`] : [];
  return [...(said.length > 0 ? said : ['no change']), ...failed].join(', ');
}

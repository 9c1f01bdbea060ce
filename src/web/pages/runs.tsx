/** The page of all runs: the last ones as a strip, and a table. */
import * as z from 'zod';
import { formatCount } from '../../lib/format.ts';
import type { RunRow } from '../../queries/named/status.ts';
import { runPath } from '../paths.ts';
import { optional, type Routing } from '../routing.ts';
import { formatElapsed, Message, RelativeTime, StatusLabel, Timestamp } from './format.tsx';
import { Page } from './layout.tsx';
import { RunStrip, toShownStatus } from './run-strip.tsx';
import { COUNT_HEAD, CountCells, listRemarks, TRIGGERS } from './run-tables.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

const RUNS_PER_PAGE = 25;
const STRIP_RUNS = 90;

/** Show runs with a number below `before`; null: the newest ones. */
const runsQuery = z.object({ before: optional(z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)) });

export function addRunsPage({ sources: { details, clock }, frame, page }: Routing): void {
  page('/runs', async ({ query }) => {
    const { before } = runsQuery.parse(query);
    const now = clock.now();
    const running = details.runningRun()?.run_id;
    const strip = details
      .lastRuns(STRIP_RUNS)
      .map((run) => ({ ...run, status: toShownStatus(run, running) }));
    const found = details.runsBefore(before ?? Number.MAX_SAFE_INTEGER, RUNS_PER_PAGE + 1);
    const runs = found.slice(0, RUNS_PER_PAGE);
    const next = found.length > RUNS_PER_PAGE ? runs.at(-1)?.run_id : undefined;
    return (
      <Page {...frame} title="Runs" current="runs" styles={['runs.css']}>
        <Section name="runs" heading="Runs" isPage>
          {strip.length === 0 ? <p class="soft">None yet.</p> : <RunStrip runs={strip} now={now} />}
          {runs.length > 0 && (
            <Table
              label={{ by: 'runs-heading' }}
              class="runs"
              head={['Run', 'Started', 'Duration', 'Status', ...COUNT_HEAD, '>Requests']}
            >
              {runs.map((run) => (
                <RunRows key={run.run_id} run={{ ...run, status: toShownStatus(run, running) }} now={now} />
              ))}
            </Table>
          )}
          <nav class="pager" aria-label="Pages">
            {before !== null && <a href="/runs">Newest</a>}
            {next !== undefined && (
              <a rel="next" href={`/runs?before=${next}`}>
                Older
              </a>
            )}
          </nav>
        </Section>
      </Page>
    );
  });
}

function RunRows({ run, now }: { run: RunRow; now: number }) {
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
        <td class="nowrap">
          {run.finished_at === null ? '' : formatElapsed(run.started_at, run.finished_at)}
        </td>
        <td>
          <StatusLabel status={run.status} /> <small class="soft">{listRemarks(run).join(', ')}</small>
        </td>
        <CountCells counts={run} />
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

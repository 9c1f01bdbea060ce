/** The page of all runs: the last ones as a strip, and a table. */
import * as z from 'zod';
import { STATUSES, type Status } from '../../database/schema/runs.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import { formatCount, pluralize } from '../../lib/format.ts';
import type { RunGlance } from '../../queries/named/runs.ts';
import type { RunRow } from '../../queries/named/status.ts';
import { Strip } from '../charts/figures.tsx';
import { runPath } from '../paths.ts';
import { optional, type Routing } from '../routing.ts';
import { formatElapsed, Message, RelativeTime, StatusLabel, Timestamp, useLocalTime } from './format.tsx';
import { Page } from './layout.tsx';
import { COUNT_HEAD, CountCells, listRemarks, TRIGGERS } from './run-tables.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

const RUNS_PER_PAGE = 25;
const STRIP_RUNS = 90;

/** Show runs with a number below `before`; null: the newest ones. */
const runsQuery = z.object({ before: optional(z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)) });

/** A run whose process was killed is `interrupted`, as the next run will write it. `running`: the run in progress. */
export const toShownStatus = (
  { run_id, status }: Pick<RunGlance, 'run_id' | 'status'>,
  running?: number,
): Status => (status === 'running' && run_id !== running ? 'interrupted' : status);

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

/** In px: of a run, of the highest bar, and of the strip with its signs. */
const STEP = 12;
const HIGHEST = 40;
const HEIGHT = 56;
const LOWEST = 3;

const SIGNS: Record<Status, string> = {
  succeeded: '',
  partial: '!',
  failed: '✕',
  parked: '‖',
  interrupted: '◇',
  running: '▸',
};

/** The outcome as a colour and a sign, the duration as a height. `runs`: the newest first. */
function RunStrip({ runs, now }: { runs: readonly RunGlance[]; now: number }) {
  const toLocal = useLocalTime();
  const shown = runs.map((run) => ({ run, ms: getElapsed(run, now) })).reverse();
  const longest = Math.max(...shown.map(({ ms }) => ms), 1);
  const bars = shown.map(({ run, ms }) => ({
    class: `run-${run.status}`,
    // grows with the root, so that short runs beside a long one can be told apart
    height: Math.round(LOWEST + Math.sqrt(ms / longest) * (HIGHEST - LOWEST)),
    sign: SIGNS[run.status],
    href: runPath(run.run_id),
    title: describeRun(run, toLocal(run.started_at)),
  }));
  const counts = STATUSES.map(
    (status) => [status, runs.filter((run) => run.status === status).length] as const,
  );
  const legend = counts.flatMap(([status, count]) =>
    count > 0 ? `${SIGNS[status]} ${formatCount(count)} ${status}`.trim() : [],
  );
  return (
    <div class="run-strip">
      <div class="scroll" role="group" tabIndex={0} aria-label={`The last ${pluralize(runs.length, 'run')}`}>
        <Strip bars={bars} step={STEP} height={HEIGHT} />
      </div>
      <p class="legend soft">
        {[...legend, 'height: duration'].map((text) => (
          <span key={text}>{text}</span>
        ))}
      </p>
    </div>
  );
}

function describeRun(
  { run_id: id, mode, status, started_at: start, finished_at: end }: RunGlance,
  at: string,
) {
  return `Run ${id} (${mode}): ${status}, ${at}${end === null ? '' : `, took ${formatElapsed(start, end)}`}`;
}

/** In ms. A killed run has no end: it counts as 0. */
function getElapsed({ status, started_at: start, finished_at: end }: RunGlance, now: number): number {
  if (end === null && status !== 'running') return 0;
  return Math.max(0, (end === null ? now : fromTimestamp(end)) - fromTimestamp(start));
}

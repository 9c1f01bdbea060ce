/** The page of all runs: the last ones as a strip, and a table. */
import * as z from 'zod';
import { formatCount } from '../../lib/format.ts';
import { readRuns, RUN_STRIP, type RunRow } from '../../queries/named/runs.ts';
import { withShownStatus } from '../../queries/named/shown-status.ts';
import { listCauseLines, type CauseLine } from '../../health/run-causes.ts';
import { runPath } from './paths.ts';
import { optional, type Routing } from './routing.ts';
import { Message } from './format.tsx';
import { Page } from './layout.tsx';
import { RunStrip } from './run-strip.tsx';
import { COUNT_COLUMNS, timeColumns, TRIGGERS } from './run-tables.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

const RUNS_PER_PAGE = 25;
const STRIP_RUNS = 90;

/** Show runs with a number below `before`; null: the newest ones. */
const runsQuery = z.object({ before: optional(z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)) });

export function addRunsPage({ sources: { db, clock }, frame, page }: Routing): void {
  page('/runs', async ({ query }) => {
    const { before } = runsQuery.parse(query);
    const now = clock.now();
    const strip = withShownStatus(db, RUN_STRIP.all(db, { limit: STRIP_RUNS }));
    const found = readRuns(db, RUNS_PER_PAGE + 1, before);
    const runs = found.slice(0, RUNS_PER_PAGE);
    const next = found.length > RUNS_PER_PAGE ? runs.at(-1)?.run_id : undefined;
    return (
      <Page {...frame} title="Runs" current="runs" styles={['runs.css']}>
        <Section name="runs" heading="Runs" isPage>
          {strip.length === 0 ? <p class="soft">None yet.</p> : <RunStrip runs={strip} now={now} />}
          {runs.length > 0 && (
            <RunTable runs={runs} causes={listCauseLines(db, runs, next !== undefined)} now={now} />
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

type TableProps = { runs: readonly RunRow[]; causes: readonly CauseLine[]; now: number };

function RunTable({ runs, causes, now }: TableProps) {
  const showRun = ({ run_id: id, mode, trigger, scope }: RunRow) => (
    <>
      <a href={runPath(id)}>{id}</a>{' '}
      <small class="soft">
        <span class="nowrap">{`${mode}, ${TRIGGERS[trigger]}`}</span>
        {scope !== null && `, ${scope}`}
      </small>
    </>
  );
  return (
    <Table<RunRow>
      label={{ by: 'runs-heading' }}
      class="runs"
      rows={runs}
      columns={[
        ['Run', showRun],
        ...timeColumns(now),
        ...COUNT_COLUMNS,
        ['Requests', (run) => run.status !== 'running' && formatCount(run.requests), 'number'],
      ]}
      below={({ run_id: id }) => {
        const lines = causes.filter((cause) => cause.run_id === id);
        return (
          lines.length > 0 &&
          lines.map(({ text, inRow }) => (
            <Message key={text} class="why" text={inRow === null ? text : `${text} (${inRow})`} />
          ))
        );
      }}
    />
  );
}

/** The page of a run: its outcome, what failed, its walks, its requests. */
import type { ComponentChildren } from 'preact';
import * as z from 'zod';
import {
  explainRun,
  listErrors,
  splitWalks,
  type ErrorRow,
  type Explanation,
} from '../../health/run-causes.ts';
import { withoutSubject } from '../../health/text.ts';
import { countPages } from '../../service/count-pages.ts';
import { formatBinaryBytes, formatCount, formatDuration, formatOffset, pluralize } from '../../lib/format.ts';
import { keyOfPackage } from '../../sync/package-key.ts';
import { formatStream, isAccountStream, type StreamRow } from '../../sync/streams.ts';
import { readRun, WALK_WAITS, type RunDetails, type WalkWait } from '../../queries/named/run.ts';
import { packagePath } from '../../health/place.ts';
import { changesPath, runPath } from './paths.ts';
import { idParam, pageParam, type Routing } from './routing.ts';
import { Command, formatElapsed, Message, PackageLink, StatusLabel, Timestamp } from './format.tsx';
import { AdviceLine } from './attention.tsx';
import { Page } from './layout.tsx';
import { formatRunChanges, hasChanges, hasWaited, TRIGGERS, WalkTable } from './run-tables.tsx';
import { Pager, Section } from './section.tsx';
import { Table, type Column } from './table.tsx';

const WALKS_PER_PAGE = 100;
/** Rows of the other lists; the command below the page has all. */
const MOST = 100;

const runQuery = z.object({ page: pageParam });

export function addRunPage({ sources, frame, page }: Routing): void {
  const { db, clock, config, formatCommand } = sources;
  page('/runs/:run', async ({ params, query }) => {
    const runId = idParam.safeParse((params as { run: string }).run);
    const found = runId.success ? readRun(db, runId.data) : null;
    if (!found) return null;
    const { run } = found;
    return (
      <Page
        {...frame}
        title={`Run ${run.run_id}: ${run.status}`}
        current="runs"
        styles={['runs.css']}
        crumbs={[{ text: 'Runs', href: '/runs' }]}
      >
        <h1>
          Run {run.run_id} <StatusLabel status={run.status} />
        </h1>
        <Why rows={explainRun({ db, config, formatCommand }, found)} />
        <Facts run={run} booked={found.booked} />
        <Walks
          found={found}
          waits={WALK_WAITS.all(db, { run_id: run.run_id })}
          page={runQuery.parse(query).page}
          now={clock.now()}
        />
        <List
          name="quarantine"
          heading="Put into quarantine"
          columns={QUARANTINE_COLUMNS}
          rows={found.quarantine}
        />
        <Technical found={found} json={formatCommand(`runs ${run.run_id} --json`)} />
      </Page>
    );
  });
}

type Run = RunDetails['run'];

function Why({ rows }: { rows: readonly Explanation[] }) {
  if (rows.length === 0) return null;
  return (
    <Section name="why" heading="Why it is not complete">
      <ul class="problems">
        {rows.map(({ text, advice }) => (
          <li key={text}>
            <p>
              <Message text={text} />
            </p>
            {advice && <AdviceLine advice={advice} />}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Facts({ run, booked }: { run: Run; booked: RunDetails['booked'] }) {
  const { finished_at: end, origin_started_at: origin, clock_offset_ms: offset } = run;
  const days = booked.map(({ account, date }) => `${account} ${date}`);
  const facts: [name: string, value: ComponentChildren][] = [
    ['Started', <Timestamp at={run.started_at} />],
    ['Duration', end !== null && formatElapsed(run.started_at, end)],
    ['Kind', `${run.mode}, ${TRIGGERS[run.trigger]}`],
    ['Covers', <bdi>{run.scope ?? 'everything'}</bdi>],
    [
      'Changes',
      <>
        {formatRunChanges(run)} {hasChanges(run) && <a href={changesPath({ run: run.run_id })}>See each</a>}
      </>,
    ],
    ['Requests', run.status !== 'running' && pluralize(run.requests, 'request')],
    ['Days booked', days.length > 4 ? pluralize(days.length, 'day') : days.join(', ')],
    ['Resumed what began', origin !== null && origin !== run.started_at && <Timestamp at={origin} />],
    ['Clock', offset !== null && formatOffset(offset)],
  ];
  return (
    <Section name="facts" heading="At a glance">
      <dl class="run-facts">
        {facts.map(
          ([name, value]) =>
            value !== false &&
            value !== '' && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </Section>
  );
}

interface ListProps<Row> {
  name: string;
  heading: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
}

/** A section with a table of the first rows; nothing without rows. */
function List<Row>({ name, heading, columns, rows }: ListProps<Row>) {
  if (rows.length === 0) return null;
  return (
    <Section name={name} heading={heading} count={formatCount(rows.length)}>
      <Table label={{ by: `${name}-heading` }} columns={columns} rows={rows.slice(0, MOST)} />
      {rows.length > MOST && <p class="soft">and {formatCount(rows.length - MOST)} more</p>}
    </Section>
  );
}

/** A package with a link, `storage of ACCOUNT`, or an account. */
function Place({ of }: { of: StreamRow }) {
  const { account, package_id: id } = of;
  if (id === null) return <>{isAccountStream(of.stream) ? formatStream(of) : account}</>;
  return <a href={packagePath({ account, package_id: id })}>{formatStream(of)}</a>;
}

const ERROR_COLUMNS: readonly Column<ErrorRow>[] = [
  ['Where', (row) => <Place of={row} />],
  ['Kind', (row) => row.kind],
  ['Error', (row) => <Message text={withoutSubject(row.message, row)} />, 'text'],
];

/** What was reported, and the requests; `json`: the command that prints all of the run. */
const Technical = ({ found, json }: { found: RunDetails; json: string }) => (
  <details id="technical" class="card">
    <summary>Details</summary>
    <List name="errors" heading="Errors" columns={ERROR_COLUMNS} rows={listErrors(found)} />
    <List name="requests" heading="Requests by purpose" columns={REQUEST_COLUMNS} rows={found.requests} />
    <p class="soft">
      All of it as JSON: <Command text={json} />
    </p>
  </details>
);

type Walk = RunDetails['walks'][number];
interface WalksProps {
  found: RunDetails;
  waits: readonly WalkWait[];
  page: number;
  now: number;
}

/** The walks of the run, the unchanged ones folded. */
function Walks({ found: { run, walks }, waits, page: asked, now }: WalksProps) {
  const none = run.mode === 'quick' ? 'No package had anything new.' : 'No package was walked.';
  const pages = Math.max(1, countPages(walks.length, WALKS_PER_PAGE));
  const page = Math.min(asked, pages);
  const { notable, unchanged } = splitWalks(walks);
  const first = (page - 1) * WALKS_PER_PAGE;
  const shown = splitWalks([...notable, ...unchanged].slice(first, first + WALKS_PER_PAGE));
  const waited = new Map(waits.map((row) => [keyOfPackage(row), row.waited_ms]));
  const toTable = (of: readonly Walk[]) => (
    <WalkTable
      first={['Package', (walk: Walk) => <PackageLink of={walk} name={walk.name} />]}
      walks={of.map((walk) => ({ ...walk, waited_ms: waited.get(keyOfPackage(walk)) }))}
      now={now}
      run={run}
    />
  );
  return (
    <Section
      name="walks"
      heading="Walks"
      count={walks.length === 0 ? '' : formatCount(walks.length)}
      empty={walks.length === 0 ? none : undefined}
    >
      {shown.notable.length > 0 && toTable(shown.notable)}
      {shown.unchanged.length > 0 && (
        <details id="unchanged" open={page > 1}>
          <summary>{pluralize(unchanged.length, 'package')} unchanged</summary>
          {toTable(shown.unchanged)}
        </details>
      )}
      {waits.some(hasWaited) && (
        <p class="soft">
          Waited: between its requests, for the limits of the account, before a retry, or for other packages.
        </p>
      )}
      <Pager page={page} pages={pages} pageUrl={(number) => `${runPath(run.run_id)}?page=${number}`} />
    </Section>
  );
}

type RequestRow = RunDetails['requests'][number];

const REQUEST_COLUMNS: readonly Column<RequestRow>[] = [
  ['Purpose', (row) => row.purpose],
  ['Account', (row) => row.account],
  ['Sent', (row) => formatCount(row.requests), 'number'],
  ['Answered', (row) => formatCount(row.answered), 'number'],
  ['Error status', (row) => formatCount(row.error_status), 'number'],
  ['No response', (row) => formatCount(row.unanswered), 'number'],
  [
    'Average',
    ({ answered, error_status: failed, duration_ms: ms }) =>
      answered + failed > 0 && formatDuration(Math.round(ms / (answered + failed))),
    'number',
  ],
  ['Received', (row) => formatBinaryBytes(row.bytes), 'number'],
];

const QUARANTINE_COLUMNS: readonly Column<RunDetails['quarantine'][number]>[] = [
  ['Where', (row) => <Place of={row} />],
  ['Record', (row) => <bdi>{row.record_id}</bdi>, 'text'],
  [
    'Why',
    (row) => (
      <>
        <bdi>{row.reason}</bdi>
        {row.resolved_at !== null && ' (resolved)'}
      </>
    ),
    'text',
  ],
];

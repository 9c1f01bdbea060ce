/** The page of a run: its outcome, what failed, its walks, its requests. */
import type { ComponentChildren } from 'preact';
import * as z from 'zod';
import { formatHeldReason } from '../../health/package-kinds.ts';
import { withoutSubject } from '../../health/text.ts';
import { countPages } from '../../service/count-pages.ts';
import { formatBinaryBytes, formatCount, formatDuration, formatOffset, pluralize } from '../../lib/format.ts';
import { keyOfPackage } from '../../sync/package-key.ts';
import { formatStream, isAccountStream, type StreamRow } from '../../sync/streams.ts';
import { readRun, WALK_WAITS, type RunDetails, type WalkWait } from '../../queries/named/run.ts';
import { changesPath, packagePath, runPath } from './paths.ts';
import { idParam, pageParam, type Routing } from './routing.ts';
import { Command, formatElapsed, Message, PackageLink, StatusLabel, Timestamp } from './format.tsx';
import { Page } from './layout.tsx';
import { formatRunChanges, hasChanges, hasWaited, TRIGGERS, WalkTable } from './run-tables.tsx';
import { Pager, Section } from './section.tsx';
import { Table, type Column } from './table.tsx';

const WALKS_PER_PAGE = 100;
/** Rows of the other lists; the command below the page has all. */
const MOST = 100;

const runQuery = z.object({ page: pageParam });

export function addRunPage({ sources, frame, page }: Routing): void {
  const { db, clock, formatCommand } = sources;
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
        {run.error !== null && found.failures.length === 0 && (
          <p class="notice">
            <Message text={run.error} />
          </p>
        )}
        <Facts run={run} booked={found.booked} />
        <Failures rows={listFailures(found)} />
        <Walks
          found={found}
          waits={WALK_WAITS.all(db, { run_id: run.run_id })}
          page={runQuery.parse(query).page}
          now={clock.now()}
        />
        <List name="requests" heading="Requests by purpose" columns={REQUEST_COLUMNS} rows={found.requests} />
        <Quarantine rows={found.quarantine} held={found.held_back} />
        <p class="soft">
          All of it as JSON: <Command text={formatCommand(`runs ${run.run_id} --json`)} />
        </p>
      </Page>
    );
  });
}

type Run = RunDetails['run'];

/** Failures without a walk that has an error: the table of walks shows the others. */
function listFailures({ failures, walks }: RunDetails): RunDetails['failures'] {
  const walked = new Set(walks.filter(({ error }) => error !== null).map(keyOfPackage));
  return failures.filter(
    ({ account, package_id }) => package_id === null || !walked.has(keyOfPackage({ account, package_id })),
  );
}

function Facts({ run, booked }: { run: Run; booked: RunDetails['booked'] }) {
  const { finished_at: end, origin_started_at: origin, clock_offset_ms: offset } = run;
  const days = booked.map(({ account, date }) => `${account} ${date}`);
  const facts: [name: string, value: ComponentChildren][] = [
    ['Started', <Timestamp at={run.started_at} />],
    ['Duration', end !== null && formatElapsed(run.started_at, end)],
    ['Kind', `${run.mode}, ${TRIGGERS[run.trigger]}`],
    ['Scope', <bdi>{run.scope ?? 'everything'}</bdi>],
    [
      'Changes',
      <>
        {formatRunChanges(run)} {hasChanges(run) && <a href={changesPath({ run: run.run_id })}>See each</a>}
      </>,
    ],
    ['Requests', run.status !== 'running' && pluralize(run.requests, 'request')],
    ['Days booked', days.length > 4 ? pluralize(days.length, 'day') : days.join(', ')],
    ['Resumed what began', origin !== null && origin !== run.started_at && <Timestamp at={origin} />],
    ['Can resume from', run.resume_at !== null && <Timestamp at={run.resume_at} />],
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

const Failures = ({ rows }: { rows: RunDetails['failures'] }) => (
  <List
    name="failures"
    heading="Not done"
    rows={rows}
    columns={[
      ['What', (row) => <Place of={row} />],
      ['Kind', (row) => row.kind],
      ['Why', (row) => <Message text={row.message} />, 'text'],
    ]}
  />
);

type Walk = RunDetails['walks'][number];
interface WalksProps {
  found: RunDetails;
  waits: readonly WalkWait[];
  page: number;
  now: number;
}

/** The walks of the run: first those that did not succeed, then those that changed something. */
function Walks({ found: { run, walks }, waits, page: asked, now }: WalksProps) {
  const none = run.mode === 'quick' ? 'No package had anything new.' : 'No package was walked.';
  const pages = Math.max(1, countPages(walks.length, WALKS_PER_PAGE));
  const page = Math.min(asked, pages);
  const isNotable = (walk: Walk) => hasChanges(walk) || walk.held_back > 0;
  const rank = (walk: Walk) => (walk.status !== 'succeeded' ? 0 : isNotable(walk) ? 1 : 2);
  const sorted = walks.toSorted((one, other) => rank(one) - rank(other));
  const shown = sorted.slice((page - 1) * WALKS_PER_PAGE, page * WALKS_PER_PAGE);
  const waited = new Map(waits.map((row) => [keyOfPackage(row), row.waited_ms]));
  return (
    <Section
      name="walks"
      heading="What changed"
      count={walks.length === 0 ? '' : pluralize(walks.length, 'walk')}
      empty={walks.length === 0 ? none : undefined}
    >
      <WalkTable
        first={['Package', (walk: Walk) => <PackageLink of={walk} name={walk.name} />]}
        walks={shown.map((walk) => ({
          ...walk,
          error: walk.error && withoutSubject(walk.error, walk),
          waited_ms: waited.get(keyOfPackage(walk)),
        }))}
        now={now}
        run={run}
      />
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
  ['>Sent', (row) => formatCount(row.requests)],
  ['>Answered', (row) => formatCount(row.answered)],
  ['>Error status', (row) => formatCount(row.error_status)],
  ['>No response', (row) => formatCount(row.unanswered)],
  [
    '>Average',
    ({ answered, error_status: failed, duration_ms: ms }) =>
      answered + failed > 0 && formatDuration(Math.round(ms / (answered + failed))),
  ],
  ['>Received', (row) => formatBinaryBytes(row.bytes)],
];

type QuarantineProps = { rows: RunDetails['quarantine']; held: RunDetails['held_back'] };

function Quarantine({ rows, held }: QuarantineProps) {
  return (
    <>
      <List
        name="held-back"
        heading="Held back, and still waiting"
        rows={held}
        columns={[
          ['Package', (row) => <Place of={row} />],
          ['>Removals', (row) => formatCount(row.removals)],
          ['Why', (row) => formatHeldReason(row.reasons)],
        ]}
      />
      <List
        name="quarantine"
        heading="Put into quarantine"
        rows={rows}
        columns={[
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
        ]}
      />
    </>
  );
}

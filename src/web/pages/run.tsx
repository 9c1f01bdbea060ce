/** The page of a run: its outcome, what failed, its walks, its requests. */
import type { ComponentChildren } from 'preact';
import { pluralize } from '../../lib/format.ts';
import type { RunView } from '../views/runs-view.ts';
import {
  changesPath,
  formatElapsed,
  Message,
  PackageLink,
  runPath,
  StatusLabel,
  Timestamp,
} from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { Pager } from './pager.tsx';
import { FailuresSection, HeldBackSection, QuarantineSection, RequestsSection } from './run-parts.tsx';
import { formatRunChanges, TRIGGERS } from './run-tables.tsx';
import { Section } from './section.tsx';
import { WalkTable } from './run-tables.tsx';

export function RunPage({ view, ...frame }: PageFrame & { view: RunView }) {
  const { run, failures, command } = view;
  return (
    <Page
      {...frame}
      title={`Run ${run.run_id}: ${run.status}`}
      current="runs"
      crumbs={[{ text: 'Runs', href: '/runs' }]}
      styles={['runs.css']}
    >
      <h1>
        Run {run.run_id} <StatusLabel status={run.status} />
      </h1>
      {run.error !== null && failures.length === 0 && (
        <p class="notice">
          <Message text={run.error} />
        </p>
      )}
      <FactsSection view={view} />
      <FailuresSection failures={failures} />
      <WalksOfRun view={view} />
      <RequestsSection view={view} />
      <HeldBackSection rows={view.held_back} />
      <QuarantineSection rows={view.quarantine} />
      <p class="soft">
        All of it as JSON:{' '}
        <code>
          <bdi>{command}</bdi>
        </code>
      </p>
    </Page>
  );
}

function FactsSection({ view: { run, booked, clock } }: { view: RunView }) {
  const { finished_at: end, origin_started_at: origin } = run;
  const days = booked.map(({ account, date }) => `${account} ${date}`);
  return (
    <Section name="facts" heading="At a glance">
      <dl class="run-facts">
        <Fact name="Started">
          <Timestamp at={run.started_at} />
        </Fact>
        {end !== null && <Fact name="Duration">{formatElapsed(run.started_at, end)}</Fact>}
        <Fact name="Kind">{`${run.mode}, ${TRIGGERS[run.trigger]}`}</Fact>
        <Fact name="Scope">
          <bdi>{run.scope ?? 'everything'}</bdi>
        </Fact>
        <Fact name="Changes">
          {formatRunChanges(run)}
          {hasChanges(run) && (
            <>
              {' '}
              <a href={changesPath({ run: run.run_id })}>See each</a>
            </>
          )}
        </Fact>
        {run.status !== 'running' && <Fact name="Requests">{pluralize(run.requests, 'request')}</Fact>}
        {days.length > 0 && (
          <Fact name="Days booked">
            {days.length > 4 ? `${days.slice(0, 4).join(', ')} and ${days.length - 4} more` : days.join(', ')}
          </Fact>
        )}
        {origin !== null && origin !== run.started_at && (
          <Fact name="Resumed what began">
            <Timestamp at={origin} />
          </Fact>
        )}
        {run.resume_at !== null && (
          <Fact name="Can resume from">
            <Timestamp at={run.resume_at} />
          </Fact>
        )}
        {clock !== null && <Fact name="Clock">{clock}</Fact>}
      </dl>
    </Section>
  );
}

function hasChanges({ inserted, updated, removed, restored }: RunView['run']): boolean {
  return inserted + updated + removed + restored > 0;
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function WalksOfRun({ view: { run, walks, walkCount, page, pages, now } }: { view: RunView }) {
  const none = run.mode === 'quick' ? 'No package had anything new.' : 'No package was walked.';
  return (
    <Section
      name="walks"
      heading="What changed"
      count={walkCount === 0 ? '' : pluralize(walkCount, 'walk')}
      empty={walkCount === 0 ? none : undefined}
    >
      <WalkTable
        label={{ by: 'walks-heading' }}
        first="Package"
        run={run}
        walks={walks}
        now={now}
        showFirst={(walk) => <PackageLink of={walk} name={walk.name} />}
      />
      <Pager page={page} pages={pages} pageUrl={(number) => `${runPath(run.run_id)}?page=${number}`} />
    </Section>
  );
}

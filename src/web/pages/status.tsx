/** The status page, the most important sections first. */
import type { BudgetReport } from '../../health/facts.ts';
import { getOverallStatus, type OverallStatus } from '../../health/overall-status.ts';
import { isReadingAll } from '../../health/reading.ts';
import { createHealthReport } from '../../health/report.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { formatCount } from '../../lib/format.ts';
import { readLatestChanges, type LatestChange } from '../../queries/changes/latest-changes.ts';
import { readRunningRun } from '../../queries/named/runs.ts';
import { createPastTotals } from '../../queries/named/videos.ts';
import { changesPath, runPath, videoPath } from './paths.ts';
import type { Routing } from './routing.ts';
import { AttentionSection } from './attention.tsx';
import { ChangeBadge, ChangedTitle, describeChange } from './change-parts.tsx';
import { Message, PackageLink, RelativeTime, Timestamp } from './format.tsx';
import { Page, REFRESH } from './layout.tsx';
import { PackagesSection } from './package-parts.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';
import { TilesSection } from './tiles.tsx';

const CHANGES = 8;

export function addStatusPage({ sources, frame, page }: Routing): void {
  const { config, db, clock, formatCommand } = sources;
  const readPastTotals = createPastTotals(db);
  page('/', async () => {
    const now = clock.now();
    const running = readRunningRun(db);
    const health = createHealthReport(sources, now, 1);
    const status = getOverallStatus(health);
    return (
      <Page
        {...frame}
        title={`${status.word}: ${status.text}`}
        current="status"
        styles={['status.css']}
        refresh={running ? REFRESH.running : REFRESH.idle}
      >
        <Headline status={status} at={toTimestamp(now)} />
        <TilesSection sources={sources} readPastTotals={readPastTotals} health={health} running={running} />
        <AttentionSection items={health.items} all={formatCommand('status --json')} now={now} />
        <div class="sides">
          <PackagesSection sources={sources} health={health} isFirstReadRunning={isReadingAll(running)} />
          <ChangesSection changes={readLatestChanges(db, CHANGES)} now={now} unit={config.durationUnit} />
        </div>
        <BudgetsSection budgets={health.budgets.filter(isTight)} />
      </Page>
    );
  });
}

/** The overall status: a word, a sentence, and what still works. */
function Headline({ status: { level, word, text, more }, at }: { status: OverallStatus; at: string }) {
  return (
    <section id="overall-status" class={`overall-status ${level}`} data-part>
      <h1>
        <span class="word">{word}:</span> <Message text={text} />
      </h1>
      <p class="soft">
        {more !== '' && `${more}. `}As of <Timestamp at={at} />
      </p>
    </section>
  );
}

type ChangesProps = { changes: readonly LatestChange[]; now: number; unit: 'ms' | 's' };

/** The latest changes; many of one kind of a run in one package are one line. */
function ChangesSection({ changes, now, unit }: ChangesProps) {
  return (
    <Section
      name="changes"
      heading="Latest changes"
      part
      empty={changes.length === 0 ? 'None yet.' : undefined}
    >
      <a class="more" href="/changes">
        All changes
      </a>
      <ul class="changes">
        {changes.map(({ change, count }) => (
          <li key={`${change.change} ${videoPath(change)} ${change.position}`}>
            <ChangeBadge change={change.change} />{' '}
            {count > 1 ? (
              <Group change={change} count={count} />
            ) : (
              <a href={videoPath(change)}>
                <ChangedTitle change={change} />
              </a>
            )}
            <p class="soft">
              <PackageLink of={change} name={change.package_name} /> ·{' '}
              <RelativeTime at={change.at} now={now} />
              {count === 1 && describeChange(change, unit).map((text) => ` · ${text}`)}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** `119 videos in run 14`. */
function Group({ change, count }: LatestChange) {
  const { run_id: run, change: kind, account, package_id: id } = change;
  return (
    <span>
      <a href={changesPath({ run, kind, package: `${account}/${id}` })}>
        <strong>{formatCount(count)}</strong> videos
      </a>{' '}
      {run !== null && (
        <>
          in <a href={runPath(run)}>run {run}</a>
        </>
      )}
    </span>
  );
}

/** True if the account is restricted, or has sent more than half of the requests of a day. */
function isTight({ pause, per_day: { spent, limit } }: BudgetReport): boolean {
  return pause !== null || (limit !== null && spent > limit / 2);
}

/** The section is only shown if an account is near its limits. */
function BudgetsSection({ budgets }: { budgets: readonly BudgetReport[] }) {
  return (
    <div id="budgets-part" data-part>
      {budgets.length > 0 && (
        <Section name="budgets" heading="Requests used">
          <Table
            label={{ by: 'budgets-heading' }}
            rows={budgets}
            columns={[
              ['Account', ({ account }) => account],
              ['In the last minute', (row) => formatUsage(row.per_minute), 'number'],
              ['In the last 24 hours', (row) => formatUsage(row.per_day), 'number'],
              ['Restriction', ({ pause }) => <Pause pause={pause} />],
            ]}
          />
        </Section>
      )}
    </div>
  );
}

const formatUsage = ({ spent, limit }: BudgetReport['per_day']): string =>
  `${formatCount(spent)}${limit === null ? ', no limit' : ` of ${formatCount(limit)}`}`;

function Pause({ pause }: Pick<BudgetReport, 'pause'>) {
  if (!pause) return <>none</>;
  return pause.in_force ? (
    <>
      paused until <Timestamp at={pause.until} />: <Message text={pause.reason} />
    </>
  ) : (
    <>
      ended at <Timestamp at={pause.until} />; full rate again at <Timestamp at={pause.back_at} />
    </>
  );
}

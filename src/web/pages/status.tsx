/** The status page, the most important sections first. */
import { toTimestamp } from '../../lib/clock.ts';
import { formatCount } from '../../lib/format.ts';
import type { OverallStatus } from '../../health/overall-status.ts';
import type { LatestChange } from '../../queries/changes/latest-changes.ts';
import type { StatusView } from '../views/status-view.ts';
import { BudgetsSection } from './budgets-section.tsx';
import { ChangeBadge, ChangedTitle, describeChange } from './change-parts.tsx';
import { Message, changesPath, PackageLink, RelativeTime, runPath, Timestamp, videoPath } from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { PackagesSection } from './packages-section.tsx';
import { ProblemsSection } from './problems-section.tsx';
import { Section } from './section.tsx';
import { TargetsSection } from './targets-section.tsx';
import { TilesSection } from './tiles-section.tsx';

interface StatusPageProps extends PageFrame {
  view: StatusView;
  /** The unit of video lengths in the service. */
  unit: 'ms' | 's';
}

export function StatusPage({ view, unit, ...frame }: StatusPageProps) {
  const { overallStatus, health, packages, now, stamp } = view;
  return (
    <Page {...frame} title={overallStatus.text} current="status" stamp={stamp} styles={['status.css']}>
      <Headline status={overallStatus} at={toTimestamp(now)} />
      <TilesSection {...view} />
      <ProblemsSection items={view.attention} all={view.listAllCommand} now={now} />
      <div class="sides">
        <PackagesSection packages={packages} now={now} isFirstReadRunning={view.isFirstReadRunning} />
        <ChangesSection changes={view.changes} now={now} unit={unit} />
      </div>
      <TargetsSection targets={health.targets} now={now} />
      <BudgetsSection budgets={view.tightBudgets} />
    </Page>
  );
}

const SIGNS = { good: '✓', warn: '!', bad: '✕', new: '…' } as const;

/** One sentence on the overall status. */
function Headline({ status: { level, text }, at }: { status: OverallStatus; at: string }) {
  return (
    <section id="overall-status" class={`overall-status ${level}`} data-part>
      <h1>
        <span class="sign" aria-hidden="true">
          {SIGNS[level]}
        </span>{' '}
        <Message text={text} />
      </h1>
      <p class="soft">
        As of <Timestamp at={at} />
      </p>
    </section>
  );
}

type ChangesProps = Pick<StatusView, 'changes' | 'now'> & Pick<StatusPageProps, 'unit'>;

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
              <RelativeTime at={change.shown_at} now={now} />
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
      </a>
      {run !== null && (
        <>
          {' '}
          in <a href={runPath(run)}>run {run}</a>
        </>
      )}
    </span>
  );
}

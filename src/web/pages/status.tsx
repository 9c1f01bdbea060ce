/** The status page, the most important sections first. */
import { toTimestamp } from '../../lib/clock.ts';
import { formatCount, formatDuration } from '../../lib/format.ts';
import type { BudgetReport } from '../../health/facts.ts';
import type { OverallStatus } from '../../health/overall-status.ts';
import { summarizeTarget, type TargetReport } from '../../health/targets.ts';
import type { LatestChange } from '../../queries/changes/latest-changes.ts';
import type { StatusView } from '../views/status-view.ts';
import { ChangeBadge, ChangedTitle, describeChange } from './change-parts.tsx';
import { changesPath, Message, PackageLink, RelativeTime, runPath, Timestamp, videoPath } from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { PackagesSection } from './packages-section.tsx';
import { ProblemsSection } from './problems-section.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';
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

const TARGET_HEAD = ['Target', '>Accounts', '>Up to date', 'Loaded', 'Verified'];
const MAX_NOTES = 8;

/** Nothing where the config has no targets. */
function TargetsSection({ targets, now }: { targets: readonly TargetReport[]; now: number }) {
  return (
    <div id="targets-part" data-part>
      {targets.length > 0 && (
        <Section name="targets" heading="Targets">
          <Table label={{ by: 'targets-heading' }} head={TARGET_HEAD}>
            {targets.map((report) => (
              <TargetRows key={report.target} report={report} now={now} />
            ))}
          </Table>
        </Section>
      )}
    </div>
  );
}

function TargetRows({ report, now }: { report: TargetReport; now: number }) {
  const { upToDate, loadedAt, verifiedAt, differing, notes } = summarizeTarget(report, now);
  return (
    <>
      <tr>
        <th scope="row">{report.target}</th>
        <td class="number">{formatCount(report.accounts.length)}</td>
        <td class="number">{formatCount(upToDate)}</td>
        <td class="nowrap">
          <RelativeTime at={loadedAt} now={now} />
          {report.everyMs > 0 && `, every ${formatDuration(report.everyMs)} at most`}
        </td>
        <td class="nowrap">
          {loadedAt !== null && <RelativeTime at={verifiedAt} now={now} />}
          {differing > 0 && `, ${formatCount(differing)} with differences`}
        </td>
      </tr>
      {notes.slice(0, MAX_NOTES).map((text) => (
        <tr key={text} class="why">
          <td />
          <td colSpan={4}>
            <Message text={text} />
          </td>
        </tr>
      ))}
    </>
  );
}

const WINDOWS = [
  ['per_second', 'second'],
  ['per_minute', 'minute'],
  ['per_day', '24 hours'],
] as const;

const BUDGET_HEAD = ['Account', ...WINDOWS.map(([, label]) => `In the last ${label}`), 'Restriction'];

/** Nothing without accounts. */
function BudgetsSection({ budgets }: { budgets: readonly BudgetReport[] }) {
  return (
    <div id="budgets-part" data-part>
      {budgets.length > 0 && <Budgets budgets={budgets} />}
    </div>
  );
}

function Budgets({ budgets }: { budgets: readonly BudgetReport[] }) {
  return (
    <Section name="budgets" heading="Requests used">
      <Table label={{ by: 'budgets-heading' }} head={BUDGET_HEAD}>
        {budgets.map((row) => (
          <tr key={row.account}>
            <th scope="row">{row.account}</th>
            {WINDOWS.map(([name, label]) => (
              <td key={name}>
                <Usage
                  {...row[name]}
                  isColoured={name === 'per_day'}
                  label={`Requests of ${row.account} in the last ${label}`}
                />
              </td>
            ))}
            <td>
              <Pause pause={row.pause} />
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

interface UsageProps {
  spent: number;
  limit: number | null;
  label: string;
  /** Only for the day: the limiter that does its work is no trouble. */
  isColoured: boolean;
}

function Usage({ spent, limit, label, isColoured }: UsageProps) {
  if (limit === null) return <>{formatCount(spent)}, no limit</>;
  return (
    <>
      <meter
        value={spent}
        min={0}
        max={limit}
        {...(isColoured && { low: 0.7 * limit, high: 0.9 * limit, optimum: 0 })}
        aria-label={label}
      />{' '}
      <span class="nowrap">
        {formatCount(spent)} of {formatCount(limit)}
      </span>
    </>
  );
}

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

/**
 * The packages on the status page, each with a strip of its last days; and what a package and its state are
 * called everywhere.
 */
import type { Config } from '../../config/config.ts';
import type { Status } from '../../database/schema/values.ts';
import { CATALOGUE, getRank } from '../../health/catalogue.ts';
import type { PackageReport } from '../../health/facts.ts';
import type { Problem } from '../../health/problem.ts';
import type { HealthReport } from '../../health/report.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { SECOND_MS, toTimestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/days.ts';
import { formatCount, pluralize } from '../../lib/format.ts';
import { publishedFact, readText } from '../../publishing/about-rows.ts';
import type { LastChange, PackageTotals } from '../../queries/named/packages.ts';
import { keyOfPackage, type PackageRow } from '../../sync/package-key.ts';
import { PACKAGE_SIZES, PACKAGE_TROUBLE } from '../../queries/named/videos.ts';
import { Strip } from '../charts/figures.tsx';
import { findToday, type PageSources } from './routing.ts';
import { PackageLink, RelativeTime } from './format.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';
import { findMeaning } from './glossary.tsx';

/** A package with its first problem, which is its state. */
export type PackageState = PackageReport & { problem: Problem | undefined };

/** The packages of the config. */
export function getPackageStates({ packages, problems }: HealthReport): PackageState[] {
  const first = new Map<string, Problem>();
  for (const problem of problems.filter(({ scope }) => scope.packageId !== null)) {
    const key = `${problem.scope.account ?? ''}/${problem.scope.packageId ?? ''}`;
    if (!first.has(key)) first.set(key, problem);
  }
  return packages.map((row) => ({ ...row, problem: first.get(keyOfPackage(row)) }));
}

/** Days in which changes are counted; the last one is today. */
const COUNTED_DAYS = 30;

/**
 * What packages add up to. A package that the server has not added up since its start has the figures of the
 * published file, which was made at `publishedAt` (null: none has them). Waits at most `waitMs` for newer
 * ones; `isPending`: they will follow.
 */
export async function readTotals(
  { config, wideReads, clock }: Pick<PageSources, 'config' | 'wideReads' | 'clock'>,
  packages: readonly LastChange[],
  waitMs: number,
) {
  const first = addDays(findToday(config, clock.now()), 1 - COUNTED_DAYS);
  const since = toTimestamp(createCalendar(config.timezone).startOf(first));
  const totals = await wideReads.totals(
    packages.map((row) => ({ ...row, since })),
    waitMs,
  );
  const isComplete = packages.every((row) => totals.of(row) !== null);
  const published = isComplete ? null : readPublishedTotals(config, first);
  return {
    of: (row: PackageRow) => totals.of(row) ?? published?.totals[keyOfPackage(row)] ?? null,
    publishedAt: published?.at ?? null,
    isPending: totals.pending > 0,
  };
}

/** `?` is the first day whose changes are counted. `packages` and `package_daily` are tables of the file. */
const selectPublishedTotals = (durationUnit: Config['durationUnit']) => `
select json_group_object(package_key, json_object(
  'size_bytes', size_bytes,
  'duration', duration_seconds * ${durationUnit === 'ms' ? SECOND_MS : 1},
  'added', coalesce(came, 0),
  'removed', coalesce(went, 0)))
from packages left join (
  select package_key, sum(added_count + restored_count + returned_count) as came,
    sum(removed_count + retired_count) as went
  from package_daily where day >= ? group by package_key) using (package_key)`;

/** Totals by the key of the package; null where there is no published file that can be read. */
function readPublishedTotals({ publish, durationUnit }: Config, since: string) {
  const text = publish && readText(publish.file, selectPublishedTotals(durationUnit), since);
  if (publish === null || text === null) return null;
  return {
    totals: JSON.parse(text) as Record<string, PackageTotals>, // as the SQL wrote it
    at: publishedFact(publish.file, 'published_at'),
  };
}

/** Names the age of figures that are not those of the live file yet. */
export const PublishedNote = ({ at, now }: { at: string | null; now: number }) =>
  at !== null && (
    <p class="soft" id="published-figures">
      Hours, size, added and removed are those of the published file, made <RelativeTime at={at} now={now} />;
      the present ones are being added up.
    </p>
  );

interface StateProps {
  row: PackageState;
  /** An unscoped full run is in progress: packages without a walk will get one. */
  isFirstReadRunning?: boolean;
}

/** The most severe state of a package, as short text. */
export function PackageStateLabel({ row, isFirstReadRunning = false }: StateProps) {
  const { last_walk, walked_at, problem } = row;
  const show = (level: string, text: string) => (
    <span class={`state ${level}`} title={findMeaning(text)}>
      {text}
    </span>
  );
  if (last_walk === 'running' && walked_at === null) return show('new', 'first sync in progress');
  if (problem) return show(problem.of.severity === 'page' ? 'bad' : 'warn', problem.state ?? problem.message);
  return walked_at === null && isFirstReadRunning
    ? show('new', 'waiting for its first sync')
    : show('good', 'fresh');
}

/**
 * `partial`: a walk ended early or failed, and another one counted the videos. `none`: no walk did either.
 */
const DAY_STATES = ['read', 'partial', 'failed', 'none'] as const;
type DayState = (typeof DAY_STATES)[number];

/** In px. The height shows the state too, for readers who see no difference in the colours. */
const HEIGHTS = { read: 16, partial: 11, failed: 6, none: 1 };
/** In px: a day with the gap after it. */
const STEP = 5;
/** Days of a strip; the last one is today. */
const DAYS = 30;

/**
 * The returned function reads what the walks of a package came to by day of the service, the oldest day
 * first.
 */
export function createStripReader({ config, db }: Pick<PageSources, 'config' | 'db'>, now: number) {
  const today = findToday(config, now);
  const first = addDays(today, 1 - DAYS);
  const days = [...createCalendar(config.timezone).days(first, today)].map(({ day, startsAt }) => ({
    date: day,
    startsAt: toTimestamp(startsAt),
  }));
  return ({ account, package_id }: PackageRow): { date: string; state: DayState }[] => {
    const counted = new Set(
      PACKAGE_SIZES.all(db, { account, package_id, since: first }).map(({ date }) => date),
    );
    const trouble = new Map<string, Set<Status>>(days.map(({ date }) => [date, new Set()]));
    const since = days[0]?.startsAt ?? '';
    for (const { started_at: at, status } of PACKAGE_TROUBLE.all(db, { account, package_id, at: since }))
      trouble.get(days.findLast(({ startsAt }) => startsAt <= at)?.date ?? '')?.add(status);
    return days.map(({ date }) => ({ date, state: judge(counted.has(date), trouble.get(date)) }));
  };
}

function judge(isCounted: boolean, trouble: ReadonlySet<Status> = new Set()): DayState {
  if (trouble.size === 0) return isCounted ? 'read' : 'none';
  return trouble.has('failed') && !isCounted ? 'failed' : 'partial';
}

/** Packages that are listed; a link leads to the page of all. */
const MOST = 12;

type SectionProps = { sources: PageSources; health: HealthReport; isFirstReadRunning: boolean };

/** The packages with the worst state, the worst first; equal ones are in the order of the config. */
export function PackagesSection({ sources, health, isFirstReadRunning }: SectionProps) {
  const { now } = health;
  const packages = getPackageStates(health);
  const rank = ({ problem }: PackageState) => (problem ? getRank(problem) : CATALOGUE.length);
  const rows = packages.toSorted((one, other) => rank(one) - rank(other)).slice(0, MOST);
  const readStrip = createStripReader(sources, now);
  return (
    <Section name="packages" heading="Packages" count={formatCount(packages.length)} part>
      {rows.length === 0 && <p class="soft">None in the config.</p>}
      <a class="more" href="/packages">
        All packages
      </a>
      {rows.length > 0 && (
        <Table
          label={{ by: 'packages-heading' }}
          class="strips compact"
          rows={rows}
          columns={[
            ['Package', (row) => <PackageLink of={row} name={row.name} />],
            ['State', (row) => <PackageStateLabel row={row} isFirstReadRunning={isFirstReadRunning} />],
            [`Last ${DAYS} days`, (row) => <DayStrip days={readStrip(row)} />],
            ['Videos', ({ videos }) => formatCount(videos), 'number'],
            ['Walked', (row) => <RelativeTime at={row.walked_at} now={now} />, 'nowrap wide'],
          ]}
        />
      )}
      {rows.length > 0 && <StripKey />}
    </Section>
  );
}

const StripKey = () => (
  <p class="strip-key soft">
    {DAY_STATES.map((state) => (
      <span key={state}>
        <Strip bars={[toBar(state)]} step={STEP} height={16} /> {state}
      </span>
    ))}
  </p>
);

const toBar = (state: DayState) => ({ class: `day-${state}`, height: HEIGHTS[state] });

type Days = ReturnType<ReturnType<typeof createStripReader>>;

const DayStrip = ({ days }: { days: Days }) => (
  <Strip bars={days.map(({ state }) => toBar(state))} step={STEP} height={16} label={describeDays(days)} />
);

/** `28 days read; failed: 2026-11-03; none: 2026-11-04`. Of more than five days their number. */
function describeDays(days: Days): string {
  const texts = DAY_STATES.flatMap((state) => {
    const dates = days.filter((day) => day.state === state).map(({ date }) => date);
    if (state === 'read') return `${pluralize(dates.length, 'day')} read`;
    const text = dates.length > 5 ? pluralize(dates.length, 'day') : dates.join(', ');
    return dates.length === 0 ? [] : `${state}: ${text}`;
  });
  return texts.join('; ');
}

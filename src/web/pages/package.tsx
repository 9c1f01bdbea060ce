/**
 * The page of a package: its figures, what needs attention, its videos and their changes, and its last walks.
 */
import * as z from 'zod';
import type { Config } from '../../config/config.ts';
import { listItems } from '../../health/items.ts';
import { createHealthReport, type HealthReport } from '../../health/report.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { fromTimestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/days.ts';
import { formatCount, pluralize } from '../../lib/format.ts';
import { toPackageKey, type PackageKey, keyOfPackage, type PackageRow } from '../../sync/package-key.ts';
import {
  PACKAGE,
  type Growth,
  type PackageTotals,
  type StoredPackage,
} from '../../queries/named/packages.ts';
import { withShownStatus } from '../../queries/named/shown-status.ts';
import { PACKAGE_WALKS, type PackageWalk } from '../../queries/named/videos.ts';
import { clientGoneSignal } from '../../service/server/routes.ts';
import { TrendChart } from '../charts/figures.tsx';
import { packagePath } from '../../health/place.ts';
import { runPath, toQueryString } from './paths.ts';
import { findToday, idParam, type PageSources, type Routing } from './routing.ts';
import { AttentionSection } from './attention.tsx';
import { ALL_PACKAGES, formatHours, formatPackage, formatSize, RelativeTime, Timestamp } from './format.tsx';
import { Page } from './layout.tsx';
import { readList, VideoList } from './list.tsx';
import {
  getPackageStates,
  PackageStateLabel,
  PublishedNote,
  readTotals,
  type PackageState,
} from './package-parts.tsx';
import { WalkTable } from './run-tables.tsx';
import { Section, Tabs } from './section.tsx';
import { Tile } from './tiles.tsx';

const WALKS = 10;
/** Days that the charts show; the last one is today. */
const CHART_DAYS = 90;
/** The page waits for new totals at most this long. */
const TOTALS_WAIT_MS = 500;

const packageParams = z.object({ account: z.string(), package: idParam });

export function addPackagePage({ sources, frame, page }: Routing): void {
  const { config, clock, formatCommand } = sources;
  page('/packages/:account/:package', async (request, reply) => {
    const params = packageParams.safeParse(request.params);
    if (!params.success) return null;
    const of = { account: params.data.account, package_id: params.data.package };
    const now = clock.now();
    const found = await readPackage(sources, of, request.query, clientGoneSignal(reply), now);
    if (!found) return null;
    const { stored, health, items, totals, growth, list, walks } = found;
    const name = (stored ?? health)?.name ?? null;
    return (
      <Page
        {...frame}
        title={formatPackage({ of, name }, frame)}
        current="packages"
        crumbs={[ALL_PACKAGES]}
        styles={['lists.css', 'runs.css']}
      >
        <h1>
          <bdi>{name ?? `Package ${of.package_id}`}</bdi> <small class="soft">{keyOfPackage(of)}</small>
        </h1>
        <Summary health={health} stored={stored} path={packagePath(of)} now={now} />
        {health && <Figures videos={health.videos} totals={totals.of(of)} unit={config.durationUnit} />}
        {health && <PublishedNote at={totals.publishedAt} now={now} />}
        {items.length > 0 && (
          <AttentionSection items={items} all={formatCommand('status --json')} now={now} isOfPackage />
        )}
        <GrowthSection days={addUp(growth, config, now)} />
        <Section name="videos" heading="Videos">
          <Tabs label="Videos" tabs={listTabs(packagePath(of), list.kind)} />
          <VideoList view={list} path={packagePath(of)} name="videos" />
        </Section>
        <WalksSection walks={walks} now={now} />
      </Page>
    );
  });
}

/** Null where neither the config nor the live file has the package. */
async function readPackage(
  sources: PageSources,
  of: PackageRow,
  query: unknown,
  signal: AbortSignal,
  now: number,
) {
  const { db, wideReads } = sources;
  const key = toPackageKey(of);
  const report = createHealthReport({ ...sources, publisher: null }, now, 1);
  const health = getPackageStates(report).find(
    (row) => row.account === of.account && row.package_id === of.package_id,
  );
  const stored = PACKAGE.get(db, of) ?? null;
  if (!stored && !health) return null;
  const changed = { ...of, changed_seq: stored?.changed_seq ?? 0 };
  const [totals, growth, list] = await Promise.all([
    readTotals(sources, [changed], TOTALS_WAIT_MS),
    wideReads.growth(of, signal),
    readList(sources, query, signal, of),
  ]);
  const items = listItemsOf(key, report);
  return {
    stored,
    health,
    items,
    totals,
    growth,
    list,
    walks: withShownStatus(db, PACKAGE_WALKS.all(db, { ...of, limit: WALKS })),
  };
}

function listItemsOf({ account, packageId }: PackageKey, { problems, formatCommand }: HealthReport) {
  const own = problems.filter(({ scope }) => scope.account === account && scope.packageId === packageId);
  return listItems(own, formatCommand);
}

function listTabs(path: string, kind: string | null) {
  const tabs = [
    ['Videos', null, kind === 'present'],
    ['Removed', 'removed', kind === 'removed'],
    ['Changes', 'all', kind !== 'present' && kind !== 'removed'],
  ] as const;
  return tabs.map(([text, of, isCurrent]) => ({ text, href: path + toQueryString({ kind: of }), isCurrent }));
}

interface SummaryProps {
  /** Undefined if it is no longer in the config. */
  health: PackageState | undefined;
  stored: StoredPackage | null;
  path: string;
  now: number;
}

function Summary({ health, stored, path, now }: SummaryProps) {
  if (!health) {
    const { retired_at: retiredAt = null, last_count: videos = null } = stored ?? {};
    return (
      <p class="notice">
        No longer in the config
        {retiredAt !== null && (
          <>
            {' '}
            since <Timestamp at={retiredAt} />
          </>
        )}
        .
        {videos !== null && (
          <>
            {' '}
            It had <a href={path + toQueryString({ kind: 'retired' })}>{pluralize(videos, 'video')}</a> when
            it left; what was stored is kept.
          </>
        )}
      </p>
    );
  }
  return (
    <p class="package-state">
      <PackageStateLabel row={health} /> last full walk <RelativeTime at={health.walked_at} now={now} />
    </p>
  );
}

interface FiguresProps {
  videos: number;
  /** Null: not added up yet. */
  totals: PackageTotals | null;
  unit: 'ms' | 's';
}

function Figures({ videos, totals, unit }: FiguresProps) {
  const figures: [name: string, label: string, value: string | null][] = [
    ['videos', 'Videos', formatCount(videos)],
    ['hours', 'Hours', totals && formatHours(totals.duration, unit)],
    ['size', 'Size', totals && formatSize(totals.size_bytes)],
    ['added', 'Added in 30 days', totals && formatCount(totals.added)],
    ['removed', 'Removed in 30 days', totals && formatCount(totals.removed)],
  ];
  return (
    <section class="tiles" aria-label="Key figures">
      {figures.map(([name, label, value]) => (
        <Tile
          key={name}
          name={name}
          label={label}
          value={value ?? '…'}
          note={value === null ? 'being added up' : ''}
        />
      ))}
    </section>
  );
}

/** The videos of a package at the end of a day. */
interface PackageDay {
  date: string;
  videos: number;
  size_bytes: number;
}

/** Adds up the growth of a package by day, from its first change on, for the days of the charts. */
function addUp(growth: readonly Growth[], config: Pick<Config, 'timezone'>, now: number): PackageDay[] {
  const calendar = createCalendar(config.timezone);
  const ends = new Map<string, Omit<PackageDay, 'date'>>();
  let last = { videos: 0, size_bytes: 0 };
  for (const { minute, videos, size_bytes } of growth) {
    last = { videos: last.videos + videos, size_bytes: last.size_bytes + size_bytes };
    ends.set(calendar.dayAt(fromTimestamp(`${minute}:00`)), last);
  }
  const today = findToday(config, now);
  const [first = today] = ends.keys();
  const earliest = addDays(today, 1 - CHART_DAYS);
  last = [...ends].findLast(([date]) => date < earliest)?.[1] ?? { videos: 0, size_bytes: 0 };
  return [...calendar.days(first > earliest ? first : earliest, today)].map(({ day: date }) => {
    last = ends.get(date) ?? last;
    return { date, ...last };
  });
}

function GrowthSection({ days }: { days: readonly PackageDay[] }) {
  if (days.length < 2) return null;
  return (
    <Section name="growth" heading="Growth" count={`${formatCount(days.length)} days`}>
      <div class="trends">
        <TrendChart label="Videos" points={days.map((day) => [day.date, day.videos])} format={formatCount} />
        <TrendChart label="Size" points={days.map((day) => [day.date, day.size_bytes])} format={formatSize} />
      </div>
    </Section>
  );
}

/** An error is shown once, at the latest of the walks in a row that ended with it. */
function WalksSection({ walks, now }: { walks: readonly PackageWalk[]; now: number }) {
  const shown = walks.map((walk, at) => ({
    ...walk,
    error: walk.error === walks[at - 1]?.error ? null : walk.error,
  }));
  return (
    <Section name="walks" heading="Last walks" empty={walks.length === 0 ? 'None yet.' : undefined}>
      <WalkTable
        walks={shown}
        now={now}
        first={[
          'Run',
          ({ run_id: id, mode }: PackageWalk) => (
            <>
              <a href={runPath(id)}>{id}</a> <small class="soft">{mode}</small>
            </>
          ),
        ]}
      />
    </Section>
  );
}

/** The page of a package: its figures, what needs attention, its videos and their changes, and its last walks. */
import { formatCount } from '../../lib/format.ts';
import type { PackageView } from '../views/package-view.ts';
import { toQueryString } from '../views/paths.ts';
import {
  ALL_PACKAGES,
  formatHours,
  formatSize,
  Message,
  packagePath,
  RelativeTime,
  Timestamp,
} from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { VideoList } from './list.tsx';
import { getPackageState } from './packages-section.tsx';
import { ProblemsSection } from './problems-section.tsx';
import { Section, Tabs } from './section.tsx';
import { Tile } from './tiles-section.tsx';
import { TrendChart } from './trend.tsx';
import { WalksSection } from './walks-section.tsx';

export function PackagePage({ view, ...frame }: PageFrame & { view: PackageView }) {
  const { account, package_id: id, name, list, days } = view;
  const path = packagePath(view);
  const tabs = [
    { text: 'Videos', kind: null, isCurrent: list.kind === 'present' },
    { text: 'Removed', kind: 'removed', isCurrent: list.kind === 'removed' },
    { text: 'Changes', kind: 'all', isCurrent: list.kind !== 'present' && list.kind !== 'removed' },
  ].map(({ kind, ...tab }) => ({ ...tab, href: path + toQueryString({ kind }) }));
  return (
    <Page
      {...frame}
      title={name ?? `${account}/${id}`}
      current="packages"
      crumbs={[ALL_PACKAGES]}
      styles={['lists.css']}
    >
      <h1>
        <bdi>{name ?? `Package ${id}`}</bdi>{' '}
        <small class="soft">
          {account}/{id}
        </small>
      </h1>
      <Summary view={view} />
      <Figures view={view} />
      {view.attention.length > 0 && (
        <ProblemsSection items={view.attention} all={view.listAllCommand} now={view.now} />
      )}
      {days.length > 1 && (
        <Section name="growth" heading="Growth" count={`${formatCount(days.length)} days`}>
          <div class="trends">
            <TrendChart
              label="Videos"
              points={days.map((day) => [day.date, day.videos])}
              format={formatCount}
            />
            <TrendChart
              label="Size"
              points={days.map((day) => [day.date, day.size_bytes])}
              format={formatSize}
            />
          </div>
        </Section>
      )}
      <Section name="videos" heading="Videos">
        <Tabs label="Videos" tabs={tabs} />
        <VideoList view={list} path={path} name="videos" />
      </Section>
      <WalksSection walks={view.walks} now={view.now} />
    </Page>
  );
}

function Summary({ view: { health, retiredAt, now } }: { view: PackageView }) {
  if (!health) {
    return (
      <p class="notice">
        No longer in the config
        {retiredAt !== null && (
          <>
            {' '}
            since <Timestamp at={retiredAt} />
          </>
        )}
        . Its stored videos are kept.
      </p>
    );
  }
  const [level, text] = getPackageState(health);
  return (
    <p class="package-state">
      <span class={`state ${level}`}>{text}</span> last full walk{' '}
      <RelativeTime at={health.walked_at} now={now} />
      {health.last_error !== null && <Message class="why" text={health.last_error} />}
    </p>
  );
}

function Figures({ view: { health, totals, list } }: { view: PackageView }) {
  if (!health) return null;
  const figures: [name: string, label: string, value: string | null][] = [
    ['videos', 'Videos', formatCount(health.videos)],
    ['hours', 'Hours', totals && formatHours(totals.duration, list.unit)],
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
          href={null}
          value={value ?? '…'}
          note={value === null ? 'being added up: load again' : ''}
        />
      ))}
    </section>
  );
}

/** The page of a package: its state, its walks, and its videos to search, sort and page. */
import { formatCount, pluralize } from '../../lib/format.ts';
import { SEARCH_ITEMS } from '../../service/videos.ts';
import type { PackageQuery, PackageView } from '../views/package-view.ts';
import {
  ALL_PACKAGES,
  changesPath,
  formatHours,
  formatSize,
  Message,
  packagePath,
  RelativeTime,
  Timestamp,
  toQueryString,
} from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { getPackageState } from './packages-section.tsx';
import { Pager } from './pager.tsx';
import { ProblemsSection } from './problems-section.tsx';
import { Section, Tabs } from './section.tsx';
import { Sparkline } from './sparkline.tsx';
import { Tile } from './tiles-section.tsx';
import { RemovedTable, VideoTable } from './video-tables.tsx';
import { WalksSection } from './walks-section.tsx';

interface PackagePageProps extends PageFrame {
  view: PackageView;
  unit: 'ms' | 's';
}

export function PackagePage({ view, unit, ...frame }: PackagePageProps) {
  const { account, package_id: id, name, removed } = view;
  return (
    <Page {...frame} title={name ?? `${account}/${id}`} current="packages" crumbs={[ALL_PACKAGES]}>
      <h1>
        <bdi>{name ?? `Package ${id}`}</bdi>{' '}
        <small class="soft">
          {account}/{id}
        </small>
      </h1>
      <State view={view} />
      <Figures view={view} unit={unit} />
      {view.attention.length > 0 && (
        <ProblemsSection items={view.attention} all={view.listAllCommand} now={view.now} />
      )}
      <Tabs
        label="Videos"
        tabs={[
          { text: 'Videos', href: packagePath(view), isCurrent: removed === null },
          { text: 'Removed', href: `${packagePath(view)}?removed=all`, isCurrent: removed !== null },
          { text: 'Changes', href: changesPath({ package: `${account}/${id}` }), isCurrent: false },
        ]}
      />
      {removed ? <Removed view={view} unit={unit} /> : <Videos view={view} unit={unit} />}
      <WalksSection walks={view.walks} now={view.now} />
    </Page>
  );
}

function State({ view: { health, retiredAt, sizes } }: { view: PackageView }) {
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
      <span class={`state ${level}`}>{text}</span> {sizes.length > 1 && <Sparkline sizes={sizes} />}
      {health.last_error !== null && (
        <>
          {' '}
          <Message class="why" text={health.last_error} />
        </>
      )}
    </p>
  );
}

function Figures({ view: { health, totals, now }, unit }: { view: PackageView; unit: 'ms' | 's' }) {
  if (!health) return null;
  return (
    <section class="tiles" aria-label="Key figures">
      <Tile
        name="videos"
        label="Videos"
        href={null}
        value={formatCount(health.videos)}
        note="in the package now"
      />
      <Tile
        name="hours"
        label="Hours"
        href={null}
        value={totals ? formatHours(totals.duration, unit) : '…'}
        note={totals ? 'of the videos in it' : 'being added up: load again'}
      />
      <Tile
        name="size"
        label="Size"
        href={null}
        value={totals ? formatSize(totals.size_bytes) : '…'}
        note={totals ? 'of the videos in it' : 'being added up: load again'}
      />
      <Tile
        name="walked"
        label="Last full walk"
        href={null}
        value={<RelativeTime at={health.walked_at} now={now} />}
        note={
          totals?.changed_at ? (
            <>
              last change <RelativeTime at={totals.changed_at} now={now} />
            </>
          ) : (
            ''
          )
        }
      />
    </section>
  );
}

function Videos({ view, unit }: { view: PackageView; unit: 'ms' | 's' }) {
  const { list, query } = view;
  if (!list) {
    return (
      <Section name="videos" heading="Videos">
        <p class="soft">The first full walk is not complete yet.</p>
      </Section>
    );
  }
  const listUrl = (change: Partial<PackageQuery>) => packagePath(view) + formatQuery({ ...query, ...change });
  const heading = `${pluralize(list.found, 'video')}${query.keyword === null ? '' : ' found'}`;
  return (
    <Section name="videos" heading={heading}>
      <Search view={view} />
      {list.videos.length > 0 && (
        <VideoTable packageKey={view} videos={list.videos} query={query} unit={unit} listUrl={listUrl} />
      )}
      <Pager page={list.page} pages={list.pages} pageUrl={(page) => listUrl({ page })} />
    </Section>
  );
}

function Search({ view }: { view: PackageView }) {
  const { query } = view;
  return (
    <form
      class="find"
      method="get"
      action={packagePath(view)}
      role="search"
      aria-label="Videos of the package"
    >
      <label for="item">Search in</label>
      <select id="item" name="item">
        {SEARCH_ITEMS.map((item) => (
          <option key={item} value={item} selected={item === query.item}>
            {item}
          </option>
        ))}
      </select>
      <label for="keyword">for (case-sensitive)</label>
      <input id="keyword" type="search" name="keyword" value={query.keyword ?? ''} maxLength={200} />
      {query.sort !== 'id' && <input type="hidden" name="sort" value={query.sort} />}
      {query.direction !== 'desc' && <input type="hidden" name="direction" value={query.direction} />}
      <button type="submit">Search</button>
      {query.keyword !== null && <a href={packagePath(view)}>All videos</a>}
    </form>
  );
}

/** Defaults are left out. */
function formatQuery({ keyword, item, sort, direction, page }: PackageQuery): string {
  return toQueryString({
    keyword,
    item: keyword === null ? null : item,
    sort: sort === 'id' ? null : sort,
    direction: direction === 'desc' ? null : direction,
    page: page === 1 ? null : page,
  });
}

function Removed({ view, unit }: { view: PackageView; unit: 'ms' | 's' }) {
  const { videos, next } = view.removed ?? { videos: [], next: null };
  return (
    <Section name="videos" heading="Removed videos">
      {videos.length === 0 ? (
        <p class="soft">{view.query.removed === 'all' ? 'None.' : 'No more.'}</p>
      ) : (
        <RemovedTable packageKey={view} videos={videos} unit={unit} />
      )}
      {next !== null && (
        <nav class="pager" aria-label="Pages">
          <a rel="next" href={`${packagePath(view)}?removed=${next}`}>
            More
          </a>
        </nav>
      )}
    </Section>
  );
}

/** The page of a package: how it stands, its walks, and its videos to search, sort and page. */
import { formatCount, pluralize } from '../../lib/format.ts';
import { SEARCH_ITEMS } from '../../service/videos.ts';
import type { PackageWalk } from '../../queries/named/videos.ts';
import type { PackageView, PackageQuery } from '../package-view.ts';
import { RelativeTime, packagePath, toQueryString, formatElapsed } from './format.tsx';
import { Page, type PageParts } from './layout.tsx';
import { stateOf } from './packages-section.tsx';
import { Pager } from './pager.tsx';
import { Sparkline } from './sparkline.tsx';
import { RemovedTable, VideoTable } from './video-tables.tsx';

export interface PackagePageParts extends Pick<PageParts, 'addressOf' | 'mayLeave'> {
  facts: PackageView;
  unit: 'ms' | 's';
}

export function PackagePage({ facts, unit, ...page }: PackagePageParts) {
  const { account, package_id: id, name, removed } = facts;
  return (
    <Page {...page} title={`${name ?? `${account}/${id}`} · vodhouse`}>
      <nav class="crumbs" aria-label="Up">
        <a href="/#packages">All packages</a>
      </nav>
      <h1>
        <bdi>{name ?? `Package ${id}`}</bdi>{' '}
        <small class="soft">
          {account}/{id}
        </small>
      </h1>
      <Standing facts={facts} />
      <nav class="tabs" aria-label="Videos">
        <a href={packagePath(facts)} aria-current={removed ? undefined : 'page'}>
          Videos
        </a>
        <a href={`${packagePath(facts)}?removed=all`} aria-current={removed ? 'page' : undefined}>
          Removed
        </a>
      </nav>
      <section class="card" aria-labelledby="videos-heading">
        {removed ? <Removed facts={facts} unit={unit} /> : <Videos facts={facts} unit={unit} />}
      </section>
      <Walks walks={facts.walks} now={facts.now} />
    </Page>
  );
}

function Standing({ facts: { standing, retiredAt, sizes, now } }: { facts: PackageView }) {
  if (!standing) {
    return (
      <p class="notice">
        No longer in the config{retiredAt === null ? '' : ` since ${retiredAt} UTC`}; what was stored of it
        stays.
      </p>
    );
  }
  const [level, words] = stateOf(standing);
  return (
    <p class="standing">
      <span class={`state ${level}`}>{words}</span> {pluralize(standing.videos, 'video')}, walked whole{' '}
      <RelativeTime at={standing.walked_at} now={now} />
      {sizes.length > 1 && (
        <>
          {' · '}
          <Sparkline sizes={sizes} />
        </>
      )}
      {standing.last_error !== null && (
        <>
          {' '}
          <bdi class="why">{standing.last_error}</bdi>
        </>
      )}
    </p>
  );
}

function Videos({ facts, unit }: { facts: PackageView; unit: 'ms' | 's' }) {
  const { list, wish } = facts;
  if (!list) {
    return (
      <>
        <h2 id="videos-heading">Videos</h2>
        <p class="soft">It has not been walked whole yet; what it holds is not known.</p>
      </>
    );
  }
  const addressOf = (other: Partial<PackageQuery>) => packagePath(facts) + wishQuery({ ...wish, ...other });
  return (
    <>
      <h2 id="videos-heading">
        {pluralize(list.found, 'video')} {wish.keyword !== null && 'found'}
      </h2>
      <Search facts={facts} />
      {list.videos.length > 0 && (
        <VideoTable of={facts} videos={list.videos} wish={wish} unit={unit} addressOf={addressOf} />
      )}
      <Pager page={list.page} pages={list.pages} addressOf={(page) => addressOf({ page })} />
    </>
  );
}

function Search({ facts }: { facts: PackageView }) {
  const { wish } = facts;
  return (
    <form class="find" method="get" action={packagePath(facts)} role="search">
      <label for="item">Search in</label>
      <select id="item" name="item">
        {SEARCH_ITEMS.map((item) => (
          <option key={item} value={item} selected={item === wish.item}>
            {item}
          </option>
        ))}
      </select>
      <label for="keyword">for (capitals count)</label>
      <input id="keyword" type="search" name="keyword" value={wish.keyword ?? ''} maxLength={200} />
      {wish.sort !== 'id' && <input type="hidden" name="sort" value={wish.sort} />}
      {wish.direction !== 'desc' && <input type="hidden" name="direction" value={wish.direction} />}
      <button type="submit">Search</button>
      {wish.keyword !== null && <a href={packagePath(facts)}>All videos</a>}
    </form>
  );
}

/** The query of a wish: what is as it is without is left out. */
function wishQuery({ keyword, item, sort, direction, page }: PackageQuery): string {
  return toQueryString({
    keyword,
    item: keyword === null ? null : item,
    sort: sort === 'id' ? null : sort,
    direction: direction === 'desc' ? null : direction,
    page: page === 1 ? null : page,
  });
}

function Removed({ facts, unit }: { facts: PackageView; unit: 'ms' | 's' }) {
  const { videos, next } = facts.removed ?? { videos: [], next: null };
  return (
    <>
      <h2 id="videos-heading">Removed videos</h2>
      {videos.length === 0 ? (
        <p class="soft">None{facts.wish.removed === 'all' ? '' : ' further down'}.</p>
      ) : (
        <RemovedTable of={facts} videos={videos} unit={unit} />
      )}
      {next !== null && (
        <nav class="pager" aria-label="Pages">
          <a rel="next" href={`${packagePath(facts)}?removed=${next}`}>
            Further down
          </a>
        </nav>
      )}
    </>
  );
}

function Walks({ walks, now }: { walks: readonly PackageWalk[]; now: number }) {
  return (
    <section class="card" aria-labelledby="walks-heading">
      <h2 id="walks-heading">Last walks</h2>
      {walks.length === 0 && <p class="soft">None yet.</p>}
      <ul class="changes">
        {walks.map((walk) => (
          <li key={walk.walk_id}>
            <span
              class={`state ${walk.status === 'succeeded' ? 'good' : walk.status === 'failed' ? 'bad' : 'look'}`}
            >
              {walk.status}
            </span>{' '}
            {walkWords(walk)}
            <p class="soft">
              <RelativeTime at={walk.started_at} now={now} /> · run {walk.run_id}, {walk.mode}
              {walk.error !== null && (
                <>
                  {' '}
                  · <bdi>{walk.error}</bdi>
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function walkWords({
  pages,
  requests,
  inserted,
  updated,
  removed,
  restored,
  started_at,
  finished_at,
}: PackageWalk) {
  const changes = [
    [inserted, 'added'],
    [updated, 'edited'],
    [removed, 'removed'],
    [restored, 'came back'],
  ] as const;
  const said = changes.flatMap(([number, word]) => (number > 0 ? [`${formatCount(number)} ${word}`] : []));
  const took = finished_at === null ? [] : [formatElapsed(started_at, finished_at)];
  return [
    ...(said.length > 0 ? said : ['no change']),
    pluralize(pages, 'page'),
    pluralize(requests, 'request'),
    ...took,
  ].join(', ');
}

/** The search over the titles of all packages. */
import type { ComponentChildren } from 'preact';
import { formatCount, pluralize } from '../../lib/format.ts';
import type { FoundVideo } from '../../queries/named/search.ts';
import {
  SEARCH_LIMIT,
  type LengthRange,
  type SearchQuery,
  type SearchView,
  type SizeRange,
} from '../views/search-view.ts';
import {
  formatLength,
  formatSize,
  PackageLink,
  Timestamp,
  Title,
  toQueryString,
  videoPath,
} from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { splitMatches } from './matches.ts';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

interface SearchPageProps extends PageFrame {
  view: SearchView;
  unit: 'ms' | 's';
}

export function SearchPage({ view, unit, ...frame }: SearchPageProps) {
  const { query, isUnknown, result } = view;
  return (
    <Page {...frame} title={query.q ?? 'Videos'} styles={['packages.css']}>
      <Section name="videos" heading="Search titles" isPage>
        <Form query={query} />
        {isUnknown && (
          <p class="notice">
            There is no package <bdi>{query.package}</bdi>: write its number, its name, or ACCOUNT/NUMBER.
          </p>
        )}
        {result && <Found query={query} result={result} unit={unit} />}
      </Section>
    </Page>
  );
}

const SIZE_TEXTS: Record<SizeRange, string> = {
  any: 'any',
  small: 'under 100 MiB',
  medium: '100 MiB to 1 GiB',
  large: '1 GiB and more',
};
const LENGTH_TEXTS: Record<LengthRange, string> = {
  any: 'any',
  minute: 'under 1 min',
  ten: '1 to 10 min',
  hour: '10 to 60 min',
  longer: '1 h and longer',
};
const STATE_TEXTS: Record<SearchQuery['state'], string> = {
  present: 'in the package',
  removed: 'removed',
  all: 'any',
};

function Form({ query }: { query: SearchQuery }) {
  return (
    <form class="find" method="get" action="/videos" role="search" aria-label="Videos">
      <Field name="q" label="Title">
        <input id="q" type="search" name="q" value={query.q ?? ''} maxLength={200} />
      </Field>
      <Field name="package" label="Package">
        <input id="package" type="text" name="package" value={query.package ?? ''} maxLength={200} />
      </Field>
      <Field name="day" label="First stored on">
        <input id="day" type="date" name="day" value={query.day ?? ''} />
      </Field>
      <Choice name="size" label="Size" texts={SIZE_TEXTS} value={query.size} />
      <Choice name="length" label="Length" texts={LENGTH_TEXTS} value={query.length} />
      <Choice name="state" label="State" texts={STATE_TEXTS} value={query.state} />
      <button type="submit">Search</button>
    </form>
  );
}

/** A label above its control. */
function Field({ name, label, children }: { name: string; label: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {children}
    </div>
  );
}

type ChoiceProps = { name: string; label: string; texts: Readonly<Record<string, string>>; value: string };

function Choice({ name, label, texts, value }: ChoiceProps) {
  return (
    <Field name={name} label={label}>
      <select id={name} name={name}>
        {Object.entries(texts).map(([key, text]) => (
          <option key={key} value={key} selected={key === value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

type FoundProps = { query: SearchQuery; result: NonNullable<SearchView['result']>; unit: 'ms' | 's' };

function Found({ query, result: { videos, next, stopped }, unit }: FoundProps) {
  return (
    <>
      <p role="status">{describe(videos.length, stopped, query.before !== null)}</p>
      {videos.length > 0 && (
        <Table
          label={{ by: 'videos-heading' }}
          class="packages"
          head={['Title', 'Package', '>Length', '>Size', 'First stored']}
        >
          {videos.map((video) => (
            <Row key={videoPath(video)} video={video} q={query.q} unit={unit} />
          ))}
        </Table>
      )}
      {next !== null && (
        <nav class="pager" aria-label="Pages">
          <a rel="next" href={`/videos${toQueryString({ ...withoutDefaults(query), before: next })}`}>
            {stopped === 'time' ? 'Search on' : 'More'}
          </a>
        </nav>
      )}
    </>
  );
}

/** The sign of an answer that is not complete. */
function describe(count: number, stopped: 'limit' | 'time' | null, isFurther: boolean): string {
  const further = isFurther ? 'further ' : '';
  if (stopped === 'limit')
    return `More than ${formatCount(count)} ${further}videos: at most ${SEARCH_LIMIT} are shown.`;
  if (stopped === 'time') {
    return `${pluralize(count, `${further}video`)} so far: the search stopped after a second, before it had seen all videos.`;
  }
  return count === 0 ? `No ${further}match.` : `${pluralize(count, `${further}video`)} found.`;
}

function withoutDefaults({ q, package: of, day, size, length, state }: SearchQuery) {
  return {
    ...{ q, package: of, day },
    size: size === 'any' ? null : size,
    length: length === 'any' ? null : length,
    state: state === 'present' ? null : state,
  };
}

function Row({ video, q, unit }: { video: FoundVideo; q: string | null; unit: 'ms' | 's' }) {
  return (
    <tr>
      <th scope="row">
        <a href={videoPath(video)}>
          <MarkedTitle title={video.title} q={q} />
        </a>
        {video.removed_at !== null && (
          <>
            {' '}
            <span class="state bad">removed</span>
          </>
        )}
      </th>
      <td>
        <PackageLink of={video} name={video.package_name} />
      </td>
      <td class="number">{formatLength(video.duration, unit)}</td>
      <td class="number">{formatSize(video.filesize)}</td>
      <td class="nowrap">
        <Timestamp at={video.first_seen_at} />
      </td>
    </tr>
  );
}

function MarkedTitle({ title, q }: { title: string | null; q: string | null }) {
  if (title === null || title.trim() === '' || q === null) return <Title title={title} />;
  return (
    <bdi>
      {splitMatches(title, q).map(({ text, isMatch }, index) =>
        isMatch ? <mark key={index}>{text}</mark> : text,
      )}
    </bdi>
  );
}

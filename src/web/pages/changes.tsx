/** The page of all changes: to filter by package, kind and run. */
import { CHANGES, type ChangeRow } from '../../queries/named/changes.ts';
import type { ChangesQuery, ChangesView } from '../views/changes-view.ts';
import { ChangeBadge, ChangedTitle, describeChange } from './change-parts.tsx';
import { changesPath, PackageLink, RelativeTime, runPath, videoPath } from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

interface ChangesPageProps extends PageFrame {
  view: ChangesView;
  unit: 'ms' | 's';
}

export function ChangesPage({ view, unit, ...frame }: ChangesPageProps) {
  const { query, result, isUnknownPackage, isUnknownRun } = view;
  return (
    <Page {...frame} title="Changes" current="changes" styles={['packages.css', 'changes.css']}>
      <Section name="changes" heading="Changes" isPage>
        <Filters query={query} />
        {isUnknownPackage && (
          <p class="notice">
            There is no package <bdi>{query.package}</bdi>: write its number, its name, or ACCOUNT/NUMBER.
          </p>
        )}
        {isUnknownRun && <p class="notice">There is no run {query.run}, or it is no longer stored.</p>}
        {result && <Found view={view} result={result} unit={unit} />}
      </Section>
    </Page>
  );
}

function Filters({ query }: { query: ChangesQuery }) {
  const isFiltered = query.package !== null || query.kind !== null || query.run !== null;
  return (
    <form class="find" method="get" action="/changes" aria-label="Filters">
      <div class="field">
        <label for="package">Package</label>
        <input id="package" type="text" name="package" value={query.package ?? ''} maxLength={200} />
      </div>
      <div class="field">
        <label for="kind">Kind</label>
        <select id="kind" name="kind">
          <option value="">any</option>
          {CHANGES.map((kind) => (
            <option key={kind} value={kind} selected={kind === query.kind}>
              {kind}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="run">Run</label>
        <input id="run" type="text" inputMode="numeric" name="run" value={query.run ?? ''} maxLength={15} />
      </div>
      <button type="submit">Show</button>
      {isFiltered && <a href="/changes">All changes</a>}
    </form>
  );
}

type FoundProps = {
  view: ChangesView;
  result: NonNullable<ChangesView['result']>;
  unit: 'ms' | 's';
};

function Found({ view: { query, now }, result: { changes, next, stopped }, unit }: FoundProps) {
  return (
    <>
      {changes.length === 0 && stopped !== 'time' && <p class="soft">{query.from ? 'No more.' : 'None.'}</p>}
      {stopped === 'time' && (
        <p role="status">The page stopped after a second, before it had seen all changes.</p>
      )}
      {changes.length > 0 && (
        <Table
          label={{ by: 'changes-heading' }}
          class="packages all-changes"
          head={['Video', 'Change', 'What', 'Package', 'When', '>Run']}
        >
          {changes.map((change, index) => (
            <Row key={index} change={change} now={now} unit={unit} />
          ))}
        </Table>
      )}
      <Links query={query} next={next} stopped={stopped} />
    </>
  );
}

function Links({
  query,
  next,
  stopped,
}: { query: ChangesQuery } & Pick<FoundProps['result'], 'next' | 'stopped'>) {
  if (!next && !query.from) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {query.from && <a href={changesPath({ ...query, from: null })}>Newest</a>}
      {next && (
        <a rel="next" href={changesPath({ ...query, from: next })}>
          {stopped === 'time' ? 'Search on' : 'Older'}
        </a>
      )}
    </nav>
  );
}

function Row({ change, now, unit }: { change: ChangeRow; now: number; unit: 'ms' | 's' }) {
  const { change: kind, package_name: name, shown_at: at, run_id: run } = change;
  return (
    <tr>
      <th scope="row">
        <a href={videoPath(change)}>
          <ChangedTitle change={change} />
        </a>
      </th>
      <td>
        <ChangeBadge change={kind} />
      </td>
      <td>{describeChange(change, unit).join(' · ')}</td>
      <td>
        <PackageLink of={change} name={name} />
      </td>
      <td class="nowrap">
        <RelativeTime at={at} now={now} />
      </td>
      <td class="number">{run !== null && <a href={runPath(run)}>{run}</a>}</td>
    </tr>
  );
}

/** The list of videos and changes: its form, its table and the way to older ones; on its own page and on that of a package. */
import type { ComponentChildren, VNode } from 'preact';
import { LISTED_KINDS, SEARCHED_FIELDS, type ChangeRow } from '../../queries/named/changes.ts';
import { toQueryString } from '../views/paths.ts';
import type { ListQuery, ListView } from '../views/list-view.ts';
import { ChangeBadge, ChangedTitle, listFields } from './change-parts.tsx';
import { formatLength, formatSize, PackageLink, RelativeTime, runPath, Title, videoPath } from './format.tsx';
import { splitMatches } from './matches.ts';
import { Table } from './table.tsx';

interface ListProps {
  view: ListView;
  /** The address of the page. */
  path: string;
  /** To choose from; left out: on the page of a package. */
  packages?: readonly PackageChoice[];
}

/** A package in the form: its key and its name. */
export interface PackageChoice {
  key: string;
  name: string;
}

/** The accessible name of the table is that of the section `name`. */
export function VideoList({ view, path, packages, name }: ListProps & { name: string }) {
  const { query, result, isUnknownPackage, isUnknownRun } = view;
  return (
    <>
      <ListForm view={view} path={path} {...(packages && { packages })} />
      {isUnknownPackage && (
        <p class="notice">
          There is no package <bdi>{query.package}</bdi>: write its number, its name, or ACCOUNT/NUMBER.
        </p>
      )}
      {isUnknownRun && <p class="notice">There is no run {query.run}, or it is no longer stored.</p>}
      {result && (
        <Found view={view} result={result} path={path} name={name} hasPackage={packages !== undefined} />
      )}
    </>
  );
}

/** The address of a list with some values changed. */
function listUrl(path: string, query: ListQuery, change: Partial<ListQuery>): string {
  const values = { ...query, ...change };
  return path + toQueryString({ ...values, in: values.in === 'title' ? null : values.in });
}

/** More packages than these are found by typing. */
const MOST_OPTIONS = 300;

const KINDS = ['all', ...LISTED_KINDS] as const;
const KIND_TEXTS: Partial<Record<(typeof KINDS)[number], string>> = {
  all: 'all changes',
  present: 'present videos',
};

function ListForm({ view: { query, kind }, path, packages }: ListProps) {
  const { q, day, run, package: of, in: field } = query;
  const isFiltered = [q, day, run, of, packages && query.kind].some(
    (value) => value !== null && value !== undefined,
  );
  return (
    <form class="find" method="get" action={path} role="search" aria-label="Videos and changes">
      <Field name="q" label="Text">
        <input id="q" type="search" name="q" value={q ?? ''} maxLength={200} />
      </Field>
      <Choice name="in" label="In" value={field} options={SEARCHED_FIELDS.map((each) => [each, each])} />
      {packages ? (
        <>
          <Choice
            name="kind"
            label="Kind"
            value={kind ?? 'all'}
            options={KINDS.map((each) => [each, KIND_TEXTS[each] ?? each])}
          />
          <PackageField packages={packages} chosen={of} />
        </>
      ) : (
        query.kind !== null && <input type="hidden" name="kind" value={query.kind} />
      )}
      <Field name="day" label="Day">
        <input id="day" type="date" name="day" value={day ?? ''} />
      </Field>
      {run !== null && <input type="hidden" name="run" value={run} />}
      <div class="buttons">
        <button type="submit">Search</button>
        {isFiltered && <a href={path + toQueryString({ kind: packages ? null : query.kind })}>Clear</a>}
      </div>
    </form>
  );
}

function PackageField({ packages, chosen }: { packages: readonly PackageChoice[]; chosen: string | null }) {
  if (packages.length > MOST_OPTIONS) {
    return (
      <Field name="package" label="Package">
        <input id="package" type="text" name="package" value={chosen ?? ''} maxLength={200} />
      </Field>
    );
  }
  const found = packages.find(({ key, name }) => [key, name, key.split('/').at(-1)].includes(chosen ?? ''));
  const value = found?.key ?? chosen ?? '';
  const options = packages.map(({ key, name }): Option => [key, name]);
  const unlisted: Option[] = found || chosen === null ? [] : [[chosen, chosen]];
  return (
    <Choice
      name="package"
      label="Package"
      value={value}
      options={[['', 'all packages'], ...unlisted, ...options]}
    />
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

type Option = readonly [value: string, text: string];

function Choice({
  name,
  label,
  value,
  options,
}: {
  name: string;
  label: string;
  value: string;
  options: readonly Option[];
}) {
  return (
    <Field name={name} label={label}>
      <select id={name} name={name}>
        {options.map(([key, text]) => (
          <option key={key} value={key} selected={key === value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

type FoundProps = Omit<ListProps, 'packages'> & {
  result: NonNullable<ListView['result']>;
  name: string;
  hasPackage: boolean;
};

function Found({ view, result: { changes, next, stopped }, path, name, hasPackage }: FoundProps) {
  const { query } = view;
  const columns = listColumns(view, hasPackage);
  const end = next && { from: `${next.first}.${next.later}` };
  return (
    <>
      {query.run !== null && (
        <p>
          Of <a href={runPath(query.run)}>run {query.run}</a>.
        </p>
      )}
      {changes.length === 0 && stopped === null && (
        <p class="soft">{query.from === null ? 'None.' : 'No more.'}</p>
      )}
      {stopped === 'time' && <p role="status">The search stopped after a second, before it had seen all.</p>}
      {changes.length > 0 && (
        <Table label={{ by: `${name}-heading` }} class="list videos" head={columns.map(({ head }) => head)}>
          {changes.map((row, index) => (
            <tr key={index}>{columns.map(({ cell }) => cell(row))}</tr>
          ))}
        </Table>
      )}
      {(end !== null || query.from !== null) && (
        <nav class="pager" aria-label="Pages">
          {query.from !== null && <a href={listUrl(path, query, { from: null })}>Newest</a>}
          {end && (
            <a rel="next" href={listUrl(path, query, end)}>
              {stopped === 'time' ? 'Search on' : 'Older'}
            </a>
          )}
        </nav>
      )}
    </>
  );
}

interface Column {
  head: string;
  cell: (row: ChangeRow) => VNode;
  /** Of these lists only. */
  isShown?: boolean;
}

const WHEN: Partial<Record<string, string>> = { present: 'First stored', removed: 'Removed' };

function listColumns({ kind, now, query, unit }: ListView, hasPackage: boolean): Column[] {
  const columns: Column[] = [
    { head: 'Title', cell: (row) => <TitleCell row={row} query={query} kind={kind} /> },
    {
      head: 'Change',
      isShown: kind === null,
      cell: ({ change }) => (
        <td>
          <ChangeBadge change={change} />
        </td>
      ),
    },
    {
      head: 'Fields',
      isShown: kind === null || kind === 'edited',
      cell: (row) => <td>{listFields(row).join(', ')}</td>,
    },
    { head: '>Length', cell: ({ duration }) => <td class="number">{formatLength(duration, unit)}</td> },
    { head: '>Size', cell: ({ filesize }) => <td class="number">{formatSize(filesize)}</td> },
    {
      head: 'Package',
      isShown: hasPackage,
      cell: (row) => (
        <td>
          <PackageLink of={row} name={row.package_name} />
        </td>
      ),
    },
    {
      head: WHEN[kind ?? ''] ?? 'When',
      cell: ({ shown_at: at }) => (
        <td class="nowrap">
          <RelativeTime at={at} now={now} />
        </td>
      ),
    },
    {
      head: '>Run',
      cell: ({ run_id: run }) => <td class="number">{run !== null && <a href={runPath(run)}>{run}</a>}</td>,
    },
  ];
  return columns.filter(({ isShown = true }) => isShown);
}

/** The title with what was found in it, or what an edit changed of it. */
function TitleCell({
  row,
  query: { q, in: field },
  kind,
}: {
  row: ChangeRow;
  query: ListQuery;
  kind: ListView['kind'];
}) {
  const isMarked = q !== null && field === 'title' && row.title_before === null;
  return (
    <th scope="row">
      <a href={videoPath(row)}>
        {isMarked ? <Marked title={row.title} q={q} /> : <ChangedTitle change={row} />}
      </a>
      {row.removed_at !== null && row.change !== 'removed' && kind !== 'present' && (
        <small class="soft"> since removed</small>
      )}
    </th>
  );
}

function Marked({ title, q }: { title: string | null; q: string }) {
  if (title === null || title.trim() === '') return <Title title={title} />;
  return (
    <bdi>
      {splitMatches(title, q).map(({ text, isMatch }, index) =>
        isMatch ? <mark key={index}>{text}</mark> : text,
      )}
    </bdi>
  );
}

/**
 * The list of videos and changes: its query, its form, its table and the way to older ones; on its own page
 * and on that of a package.
 */
import type { ComponentChildren } from 'preact';
import * as z from 'zod';
import type { Config } from '../../config/config.ts';
import { createCalendar } from '../../lib/calendar.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { addDays, isDay } from '../../lib/days.ts';
import { capitalize } from '../../lib/format.ts';
import type { PackageRow } from '../../sync/package-key.ts';
import type { FoundChanges } from '../../queries/changes/find-changes.ts';
import { LISTED_KINDS, RUN_START, SEARCHED_FIELDS, type ChangeRow } from '../../queries/named/changes.ts';
import { clientGoneSignal } from '../../service/server/routes.ts';
import { runPath, toQueryString, videoPath } from './paths.ts';
import { idParam, optional, textParam, type PageSources, type Routing } from './routing.ts';
import { ChangeBadge, ChangedTitle, listFields } from './change-parts.tsx';
import { formatLength, formatSize, PackageLink, RelativeTime } from './format.tsx';
import { Page } from './layout.tsx';
import { Section } from './section.tsx';
import { Table, type Column } from './table.tsx';

const ROWS = 50;
const KINDS = ['all', ...LISTED_KINDS] as const;

/** Invalid values are replaced by the defaults. */
const listQuery = z.object({
  /** What the field contains, in any case; null: anything. */
  q: textParam,
  in: z.enum(SEARCHED_FIELDS).catch('title'),
  /** Null: all changes; on the page of a package: the present videos. */
  kind: optional(z.enum(KINDS)),
  /** `ACCOUNT/ID`, or the number or the name of a package; null: all. */
  package: textParam,
  /** Of the service, `YYYY-MM-DD`. */
  day: optional(z.string().refine(isDay)),
  run: optional(idParam),
  /** Where an earlier page ended: `FIRST.LATER`; null: at the newest. */
  from: optional(z.string().regex(/^\d{1,15}\.\d{1,15}$/)),
});
type ListQuery = z.output<typeof listQuery>;

/** A package in the form: its key and its name. */
interface Choice {
  key: string;
  name: string;
}

type ListView = Awaited<ReturnType<typeof readList>>;

export function addChangesPage({ sources, frame, page }: Routing): void {
  const choices = sources.config.accounts.flatMap(({ name: account, packages }) =>
    packages.map(({ id, name }) => ({ key: `${account}/${id}`, name: name ?? `${account}/${id}` })),
  );
  page('/changes', async (request, reply) => {
    const view = await readList(sources, request.query, clientGoneSignal(reply));
    return (
      <Page {...frame} title={view.query.q ?? 'Changes'} current="changes" styles={['lists.css']}>
        <Section name="changes" heading="Videos and changes" isPage>
          <VideoList view={view} path="/changes" choices={choices} name="changes" />
        </Section>
      </Page>
    );
  });
}

/** `one`: of the list on the page of a package. Rejects as `WideReads.changes` does. */
export async function readList(
  { config, db, wideReads, clock }: PageSources,
  given: unknown,
  signal: AbortSignal,
  one: PackageRow | null = null,
) {
  const query = listQuery.parse(given);
  const ofPackage = one ?? (query.package === null ? null : findPackage(config, query.package));
  const shown = query.kind ?? (one ? 'present' : 'all');
  const kind = shown === 'all' ? null : shown;
  const [first = 0, later = 0] = (query.from ?? '').split('.').map(Number);
  const isUnknownPackage = query.package !== null && ofPackage === null;
  const isUnknownRun = query.run !== null && !RUN_START.get(db, { run_id: query.run });
  const result =
    isUnknownPackage || isUnknownRun
      ? null
      : await wideReads.changes(
          {
            kind,
            ofPackage,
            text: query.q ?? '',
            field: query.in,
            run_id: query.run,
            limit: ROWS,
            ...toTimes(query.day, config),
            from: query.from === null ? null : { first, later },
          },
          signal,
        );
  return { query, kind, result, isUnknownPackage, isUnknownRun, now: clock.now(), unit: config.durationUnit };
}

function toTimes(day: string | null, { timezone }: Pick<Config, 'timezone'>) {
  if (day === null) return { since: null, until: null };
  const { startOf } = createCalendar(timezone);
  return { since: toTimestamp(startOf(day)), until: toTimestamp(startOf(addDays(day, 1))) };
}

/**
 * The first package of the config with this key, number or name; any that is written as `ACCOUNT/ID`; else
 * null.
 */
function findPackage({ accounts }: Pick<Config, 'accounts'>, text: string): PackageRow | null {
  for (const { name: account, packages } of accounts) {
    const found = packages.find(({ id, name }) => [`${account}/${id}`, String(id), name].includes(text));
    if (found) return { account, package_id: found.id };
  }
  const [, account, id] = /^(.+)\/(\d{1,15})$/.exec(text) ?? [];
  return account === undefined ? null : { account, package_id: Number(id) };
}

interface ListProps {
  view: ListView;
  /** The address of the page. */
  path: string;
  /** The packages to choose from; left out: on the page of a package. */
  choices?: readonly Choice[];
}

/** The accessible name of the table is that of the section `name`. */
export function VideoList({ view, path, choices, name }: ListProps & { name: string }) {
  const { query, result, isUnknownPackage, isUnknownRun } = view;
  return (
    <>
      <ListForm view={view} path={path} {...(choices && { choices })} />
      {isUnknownPackage && (
        <p class="notice">
          There is no package <bdi>{query.package}</bdi>: write its number, its name, or ACCOUNT/NUMBER.
        </p>
      )}
      {isUnknownRun && <p class="notice">There is no run {query.run}, or it is no longer stored.</p>}
      {query.run !== null && !isUnknownRun && (
        <p>
          Of <a href={runPath(query.run)}>run {query.run}</a>.
        </p>
      )}
      {result?.changes.length === 0 && <p class="soft">{query.from === null ? 'None.' : 'No more.'}</p>}
      {result && result.changes.length > 0 && (
        <ListTable view={view} changes={result.changes} name={name} hasPackage={choices !== undefined} />
      )}
      <nav class="pager" aria-label="Pages">
        {query.from !== null && <a href={listUrl(path, query, { from: null })}>Newest</a>}
        {result?.next && (
          <a rel="next" href={listUrl(path, query, { from: `${result.next.first}.${result.next.later}` })}>
            Older
          </a>
        )}
      </nav>
    </>
  );
}

/** The address of a list with some values changed. */
function listUrl(path: string, query: ListQuery, change: Partial<ListQuery>): string {
  const values = { ...query, ...change };
  return path + toQueryString({ ...values, in: values.in === 'title' ? null : values.in });
}

function ListForm({ view: { query, kind }, path, choices }: ListProps) {
  const { q, day, run, package: of, in: field } = query;
  const ownKind = choices ? null : query.kind; // that of the tab
  const isFiltered = [q, day, run, of, choices ? query.kind : null].some((value) => value !== null);
  const toText = (each: string) => ({ all: 'all changes', present: 'present videos' })[each] ?? each;
  return (
    <form class="find" method="get" action={path} role="search" aria-label="Videos and changes">
      <Field name="q" label="Text">
        <input id="q" type="search" name="q" value={q ?? ''} maxLength={200} />
      </Field>
      <Select name="in" label="In" value={field} options={SEARCHED_FIELDS.map((each) => [each, each])} />
      {choices && (
        <>
          <Select
            name="kind"
            label="Kind"
            value={kind ?? 'all'}
            options={KINDS.map((each) => [each, toText(each)])}
          />
          <PackageField choices={choices} chosen={of} />
        </>
      )}
      <DayField day={day} />
      {ownKind !== null && <input type="hidden" name="kind" value={ownKind} />}
      {run !== null && <input type="hidden" name="run" value={run} />}
      <div class="buttons">
        <button type="submit">Search</button>
        {isFiltered && <a href={path + toQueryString({ kind: ownKind })}>Clear</a>}
      </div>
    </form>
  );
}

/** A text in place of a date: browsers write dates in the order of their own language. */
const DayField = ({ day }: { day: string | null }) => (
  <Field name="day" label="Day">
    <input
      id="day"
      type="text"
      name="day"
      value={day ?? ''}
      pattern="\d{4}-\d{2}-\d{2}"
      maxLength={10}
      placeholder="2026-11-28"
      title="A day, as in 2026-11-28"
    />
  </Field>
);

/** More packages than these are found by typing. */
const MOST_OPTIONS = 300;

function PackageField({ choices, chosen }: { choices: readonly Choice[]; chosen: string | null }) {
  if (choices.length > MOST_OPTIONS) {
    return (
      <Field name="package" label="Package">
        <input id="package" type="text" name="package" value={chosen ?? ''} maxLength={200} />
      </Field>
    );
  }
  const found = choices.find(({ key, name }) => [key, name, key.split('/').at(-1)].includes(chosen ?? ''));
  const unlisted: Option[] = found || chosen === null ? [] : [[chosen, chosen]];
  const options = [
    ['', 'all packages'] as const,
    ...unlisted,
    ...choices.map(({ key, name }): Option => [key, name === key ? key : `${name} (${key})`]),
  ];
  return <Select name="package" label="Package" value={found?.key ?? chosen ?? ''} options={options} />;
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
type SelectProps = { name: string; label: string; value: string; options: readonly Option[] };

function Select({ name, label, value, options }: SelectProps) {
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

type TableProps = { view: ListView; changes: FoundChanges['changes']; name: string; hasPackage: boolean };

function ListTable({ view: { kind, now, unit }, changes, name, hasPackage }: TableProps) {
  const isMixed = kind === null;
  const when = isMixed ? 'When' : kind === 'present' ? 'First stored' : capitalize(kind);
  const columns: (Column<ChangeRow> | false)[] = [
    ['Title', (row) => <TitleCell row={row} />],
    isMixed && ['Change', ({ change }) => <ChangeBadge change={change} />],
    (isMixed || kind === 'edited') && ['Fields', (row) => listFields(row).join(', ')],
    ['Length', ({ duration }) => formatLength(duration, unit), 'number'],
    ['Size', ({ filesize }) => formatSize(filesize), 'number'],
    hasPackage && ['Package', (row) => <PackageLink of={row} name={row.package_name} />],
    [when, (row) => <RelativeTime at={row.at} now={now} />, 'nowrap'],
    ['Run', ({ run_id: id }) => id !== null && <a href={runPath(id)}>{id}</a>, 'number'],
  ];
  return (
    <Table
      label={{ by: `${name}-heading` }}
      class="list videos"
      rows={changes}
      columns={columns.filter((each) => each !== false)}
    />
  );
}

/** The title with what an edit changed of it. */
const TitleCell = ({ row }: { row: ChangeRow }) => (
  <>
    <a href={videoPath(row)}>
      <ChangedTitle change={row} />
    </a>
    {row.gone !== null && row.gone !== row.change && <small class="soft"> since {row.gone}</small>}
  </>
);

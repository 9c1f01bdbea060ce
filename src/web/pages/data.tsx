/** The published file: how to open it, its questions and its dictionary; and the API mirror. */
import { pluralize } from '../../lib/format.ts';
import type { DataView, TableView } from '../views/data-view.ts';
import { STORAGE_PATH } from '../../service/storage.ts';
import { VIDEO_LIST_PATH } from '../../service/videos.ts';
import { Page, type PageFrame } from './layout.tsx';
import { QuestionsSection } from './questions.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

interface DataProps {
  view: DataView;
  /** Of this server as the browser sees it, without a slash at the end. */
  origin: string;
}

export function DataPage({ view, origin, ...frame }: PageFrame & DataProps) {
  const { file, tables } = view;
  return (
    <Page {...frame} title="Data" current="data" styles={['data.css']}>
      <h1>Data</h1>
      {file === null ? <NoFile /> : <FileSection {...view} file={file} />}
      {file !== null && <QuestionsSection open={view.question} />}
      {tables.length > 0 && (
        <Section name="tables" heading="Tables and views" count={String(tables.length)}>
          {tables.map((table) => (
            <Dictionary key={table.name} table={table} />
          ))}
        </Section>
      )}
      <ApiSection {...view.api} origin={origin} />
    </Page>
  );
}

function NoFile() {
  return (
    <p class="notice">
      The config publishes no file for readers: add <code data-copy>{'publish: {}'}</code>
    </p>
  );
}

function FileSection({ file, isThere, publishCommand }: DataView & { file: string }) {
  return (
    <Section name="file" heading="The published file">
      {!isThere && (
        <p class="notice">
          There is no file yet: <code data-copy>{publishCommand}</code>
        </p>
      )}
      <p>
        <code data-copy>
          <bdi>{file}</bdi>
        </code>{' '}
        is a SQLite file to read, replaced as a whole when something changed. Copy it, or open it in place,
        read-only:
      </p>
      <dl class="openers">
        {OPENERS.map(([name, how]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{how(file)}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** A path as one word of a shell. */
const quote = (path: string) => `'${path.replaceAll("'", String.raw`'\''`)}'`;
const command = (text: string) => (
  <code data-copy>
    <bdi>{text}</bdi>
  </code>
);

const OPENERS = [
  ['Datasette', (file: string) => command(`datasette ${quote(file)}`)],
  ['sqlite3', (file: string) => command(`sqlite3 -readonly -box ${quote(file)}`)],
  [
    'DuckDB',
    (file: string) => command(`attach '${file.replaceAll("'", "''")}' as v (type sqlite, read_only);`),
  ],
  ['DBeaver', () => 'New Database Connection › SQLite › Path: the file; Connection settings › Read-only'],
  ['Excel, Power BI, Tableau', () => 'through ODBC: the SQLite3 driver with the path as Database'],
] as const;

/** Folded: the page has some hundred columns. */
function Dictionary({ table }: { table: TableView }) {
  const { name, kind, description, columns, example } = table;
  return (
    <details id={`table-${name}`}>
      <summary>
        <code>{name}</code> <span class="soft">{`${kind}, ${pluralize(columns.length, 'column')}`}</span>
      </summary>
      <p>{description}</p>
      <p>
        <code data-copy>{example}</code>
      </p>
      <Table label={{ text: `Columns of ${name}` }} head={['Column', 'Type', 'Unit', 'Sums', 'Meaning']}>
        {columns.map((column) => (
          <tr key={column.name}>
            <th scope="row">
              <code>{column.name}</code>
            </th>
            <td class="nowrap">{column.type}</td>
            <td>{column.unit}</td>
            <td class="nowrap">{column.additivity}</td>
            <td class="text">{column.description}</td>
          </tr>
        ))}
      </Table>
    </details>
  );
}

/** Accounts whose lines are shown. */
const MOST = 20;

/** The two operations that the server answers, with lines to copy. */
function ApiSection({ origin, needsKey, accounts, from, to }: DataView['api'] & { origin: string }) {
  const key = needsKey ? " -H 'authorization: Bearer KEY'" : '';
  return (
    <Section name="operations" heading="API mirror">
      <p>
        Both operations of the service, answered from the warehouse: a script gets the same answers, and
        spends no request of the budget. {needsKey && 'KEY is one of server.keys. '}
        The description for generated clients: <a href="/openapi.json">openapi.json</a>
      </p>
      <Table label={{ by: 'operations-heading' }} head={['Account', 'Line to copy']}>
        {accounts.slice(0, MOST).flatMap(({ name, packageId, hasStorage }) => {
          const base = `${origin}${accounts.length > 1 ? `/accounts/${encodeURIComponent(name)}` : ''}`;
          return [
            ...(packageId === null ? [] : [`${base}${VIDEO_LIST_PATH}?pkg=${packageId}&pagesize=50`]),
            ...(hasStorage ? [`${base}${STORAGE_PATH}?sdate=${from}&edate=${to}`] : []),
          ].map((address) => (
            <tr key={address}>
              <th scope="row">{name}</th>
              <td class="text">
                <code data-copy>
                  <bdi>{`curl${key} '${address}'`}</bdi>
                </code>
              </td>
            </tr>
          ));
        })}
      </Table>
      {accounts.length > MOST && <p class="soft">The other accounts: /accounts/NAME in the same way.</p>}
    </Section>
  );
}

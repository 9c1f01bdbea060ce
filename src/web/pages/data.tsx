/** The published file: how to get and open it, its questions, its tables; and the API mirror. */
import { createReadStream, fstatSync, openSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Config } from '../../config/config.ts';
import { addDays } from '../../lib/days.ts';
import { errorCode } from '../../lib/errors.ts';
import { formatBytes } from '../../lib/format.ts';
import { shellQuote } from '../../lib/shell-command.ts';
import { publishedFact } from '../../publishing/about-rows.ts';
import type { Mart } from '../../publishing/marts/mart.ts';
import { createMarts } from '../../publishing/marts/marts.ts';
import { clientGoneSignal } from '../../service/server/routes.ts';
import { STORAGE_PATH } from '../../service/storage.ts';
import { VIDEO_LIST_PATH } from '../../service/videos.ts';
import { findToday, optional, textParam, type Routing } from './routing.ts';
import { Command, RelativeTime } from './format.tsx';
import { Page } from './layout.tsx';
import { AnswerSection, answerQuestion, QuestionsSection } from './questions.tsx';
import { Section } from './section.tsx';
import { Table } from './table.tsx';

/** `question`: its slug. `rows`: of its answer; null: the first. */
const dataQuery = z.object({ question: textParam, rows: optional(z.literal('all')) });

/** The address at which the published file can be downloaded. */
const FILE_PATH = '/data/vodhouse.bi.db';

export function addDataPage({ sources, frame, page, download }: Routing): void {
  const { config, clock, formatCommand } = sources;
  const { publish, durationUnit } = config;
  const tables = createMarts({ durationUnit, exclude: publish?.exclude ?? [] }).documented;
  page('/data', async (request, reply) => {
    const asked = dataQuery.parse(request.query);
    const now = clock.now();
    const signal = clientGoneSignal(reply);
    const found = publish && describeFile(publish.file);
    const open = found && (await answerQuestion(sources, found.file, asked.question, signal));
    return (
      <Page {...frame} title="Data" current="data" styles={['data.css']}>
        <h1>Data</h1>
        {publish === null ? (
          <p class="notice">
            The config publishes no file for readers: add <Command text="publish: {}" />
          </p>
        ) : (
          <>
            {open && (
              <AnswerSection
                answered={open}
                isAll={asked.rows !== null}
                publishedAt={found.publishedAt}
                formatCommand={formatCommand}
              />
            )}
            <QuestionsSection asked={asked.question} />
            <FileSection file={publish.file} found={found} command={formatCommand('publish')} now={now} />
            <TablesSection tables={tables} />
          </>
        )}
        <ApiSection config={config} today={findToday(config, now)} origin={getOrigin(request)} />
      </Page>
    );
  });
  download(FILE_PATH, () => publish && openFile(publish.file));
}

/** The published file, its size, and when it was made (null: not known); null if it is not there. */
function describeFile(file: string) {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? { file, bytes: stats.size, publishedAt: publishedFact(file, 'published_at') } : null;
}

/**
 * Opens the file to send it; null if it is not there. A file that replaces it does not change what is sent.
 */
function openFile(file: string) {
  try {
    const fd = openSync(file, 'r');
    const content = createReadStream(file, { fd });
    return {
      type: 'application/vnd.sqlite3',
      fileName: basename(FILE_PATH),
      content,
      bytes: fstatSync(fd).size,
    };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The host comes from a header: it goes into a line for a shell only if it is a plain name or address. */
function getOrigin({ protocol, host }: FastifyRequest): string {
  const isPlain = /^[\w.:[\]-]{1,253}$/.test(host);
  return `${protocol === 'https' ? 'https' : 'http'}://${isPlain ? host : 'HOST'}`;
}

const OPENERS = [
  ['Datasette', (file: string) => <Command text={`datasette ${shellQuote(file)}`} />],
  ['sqlite3', (file: string) => <Command text={`sqlite3 -readonly -box ${shellQuote(file)}`} />],
  [
    'DuckDB',
    (file: string) => (
      <Command text={`attach '${file.replaceAll("'", "''")}' as v (type sqlite, read_only);`} />
    ),
  ],
  ['DBeaver', () => 'New Database Connection › SQLite › Path: the file; Connection settings › Read-only'],
  ['Excel, Power BI, Tableau', () => 'through ODBC: the SQLite3 driver with the path as Database'],
] as const;

interface FileProps {
  file: string;
  /** Null: there is no file yet. */
  found: ReturnType<typeof describeFile>;
  command: string;
  now: number;
}

function FileSection({ file, found, command, now }: FileProps) {
  return (
    <Section name="file" heading="The published file">
      {found === null ? (
        <p class="notice">
          There is no file yet: <Command text={command} />
        </p>
      ) : (
        <p>
          <strong>{formatBytes(found.bytes)}</strong>, made <RelativeTime at={found.publishedAt} now={now} />{' '}
          · <a href={FILE_PATH}>Download</a>
        </p>
      )}
      <p>
        <Command text={file} /> is a SQLite file to read, replaced as a whole when something changed. Copy it,
        or open it in place, read-only:
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

const TablesSection = ({ tables }: { tables: readonly Mart[] }) => (
  <Section name="tables" heading="Tables and views" count={String(tables.length)}>
    {tables.map((table) => (
      <Dictionary key={table.name} table={table} />
    ))}
  </Section>
);

/** Columns and rows of an example query. */
const EXAMPLE = { columns: 5, rows: 10 };

/** A table with its columns, which are folded because the page has some hundred of them. */
function Dictionary({ table: { name, kind, description, columns } }: { table: Mart }) {
  const names = columns.slice(0, EXAMPLE.columns).map((column) => column.name);
  const [row = '', ...more] = description.split(/(?<=\.) /);
  return (
    <details id={`table-${name}`}>
      <summary>
        <code>{name}</code> {row} <span class="soft">{kind}</span>
      </summary>
      {more.length > 0 && <p>{more.join(' ')}</p>}
      <p>
        <Command text={`select ${names.join(', ')} from ${name} limit ${EXAMPLE.rows};`} />
      </p>
      <Table
        label={{ text: `Columns of ${name}` }}
        rows={columns}
        columns={[
          ['Column', (column) => <code>{column.name}</code>],
          ['Type', (column) => column.type, 'nowrap'],
          ['Unit', (column) => column.unit],
          ['Sums', (column) => column.additivity, 'nowrap'],
          ['Meaning', (column) => column.description, 'text'],
        ]}
      />
    </details>
  );
}

/** Accounts of which the section has lines to copy. */
const MOST = 20;
/** Days of storage in the line to copy. */
const API_DAYS = 30;

type ApiProps = { config: Pick<Config, 'accounts' | 'server'>; today: string; origin: string };

/** The two operations that the server answers, with lines to copy. */
function ApiSection({ config: { accounts, server }, today, origin }: ApiProps) {
  const needsKey = (server?.keys.length ?? 0) > 0;
  const key = needsKey ? " -H 'authorization: Bearer KEY'" : '';
  const lines = accounts.slice(0, MOST).flatMap(({ name, packages: [first], storage }) => {
    const base = `${origin}${accounts.length > 1 ? `/accounts/${encodeURIComponent(name)}` : ''}`;
    const days = `sdate=${addDays(today, -API_DAYS)}&edate=${today}`;
    return [
      ...(first ? [[name, `${base}${VIDEO_LIST_PATH}?pkg=${first.id}&pagesize=50`] as const] : []),
      ...(storage ? [[name, `${base}${STORAGE_PATH}?${days}`] as const] : []),
    ];
  });
  return (
    <Section name="operations" heading="API mirror">
      <p>
        Both operations of the service, answered from the warehouse: a script gets the same answers, and
        spends no request of the budget. {needsKey && 'KEY is one of server.keys. '}
        The description for generated clients: <a href="/openapi.json">openapi.json</a>
      </p>
      <Table
        label={{ by: 'operations-heading' }}
        class="compact"
        rows={lines}
        columns={[
          ['Account', ([name]) => name],
          ['Line to copy', ([, address]) => <Command text={`curl${key} '${address}'`} />, 'text'],
        ]}
      />
      {accounts.length > MOST && <p class="soft">The other accounts: /accounts/NAME in the same way.</p>}
    </Section>
  );
}

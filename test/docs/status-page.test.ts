import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Database } from '../../src/database/sqlite.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { queriesMarkdown, NAMED_QUERIES } from '../../docs/generate/named-queries.ts';
import * as backups from '../../src/queries/named/backups.ts';
import * as changes from '../../src/queries/named/changes.ts';
import type { NamedQuery, SqlValue } from '../../src/database/query.ts';
import * as failures from '../../src/queries/named/failures.ts';
import * as packages from '../../src/queries/named/packages.ts';
import * as search from '../../src/queries/named/search.ts';
import * as runs from '../../src/queries/named/runs.ts';
import * as status from '../../src/queries/named/status.ts';
import * as storage from '../../src/queries/named/storage.ts';
import * as targets from '../../src/queries/named/targets.ts';
import * as totals from '../../src/queries/named/totals.ts';
import * as videos from '../../src/queries/named/videos.ts';
import { insert, storageRow } from '../support/fixtures/filled-live-file.ts';
import { execute, readRows, readValue } from '../support/fixtures/live-file.ts';
import { liveFileToServe } from '../support/servers/open-web-server.ts';
import { openPages } from '../support/servers/open-pages.ts';
import { named, getText } from '../support/read-html.ts';

const PAGE = readFileSync('docs/status-page.md', 'utf8');
const MARK = '<!-- below: npm run docs -->\n';
const [HANDWRITTEN = '', GENERATED = ''] = PAGE.split(MARK);

const MODULES = {
  'backups.ts': backups,
  'changes.ts': changes,
  'failures.ts': failures,
  'packages.ts': packages,
  'search.ts': search,
  'runs.ts': runs,
  'status.ts': status,
  'storage.ts': storage,
  'targets.ts': targets,
  'totals.ts': totals,
  'videos.ts': videos,
};

const DOCUMENTED = NAMED_QUERIES.flatMap(({ queries }) => queries);

type DocumentedQuery = Pick<NamedQuery<unknown>, 'heading' | 'sql'>;

const isQuery = (value: unknown): value is DocumentedQuery =>
  typeof value === 'object' && !!value && 'sql' in value;

/** All exports of the modules of the folder, by name. */
const EXPORTED = Object.values(MODULES).flatMap((module) =>
  Object.entries(module as Record<string, unknown>).flatMap(([name, value]): [string, DocumentedQuery][] =>
    isQuery(value) ? [[name, value]] : [],
  ),
);

/** Values for which an answer exists. */
const VALUES: Readonly<Record<string, SqlValue>> = {
  account: 'main',
  package_id: 104,
  id: 3,
  run_id: 1,
  before: 3,
  from: '2026-03-10 11:00:00',
  to: '2026-03-10 11:00:00',
  origin: '2026-03-10 11:00:00',
  stream: 'videos',
  since: '2026-03-01',
  at: '2026-03-10 12:00:00',
  now_ms: Date.parse('2026-03-10T12:00:00Z'),
  below: 1_000,
  ...{ stored_from: null, stored_until: null, position: 0 },
  ...{ pattern: '%', after: 0, upto: 10_000, size: 1, removed: null },
  ...{ min_bytes: null, max_bytes: null, min_duration: null, max_duration: null },
  window: 1_000,
  limit: 10,
  ended_seq: 7_000_000,
};

function getValues({ sql }: DocumentedQuery): Record<string, SqlValue> {
  const names = [...sql.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => name);
  return Object.fromEntries(
    names.map((name) => {
      const value = VALUES[name];
      if (value === undefined) throw new Error(`there is no value for :${name}`);
      return [name, value];
    }),
  );
}

const ofPackage = { account: 'main', package_id: 104 };
const at = '2026-03-10 11:00:00';

/** 5,000 more videos with as many former states, and an answer to each query. */
function filledFile(): string {
  const live = liveFileToServe();
  const walk = { ...ofPackage, mode: 'full', started_at: at, origin_started_at: at };
  execute(
    live,
    [
      `insert into video (account, package_id, id, title, first_seen_at, changed_at, change_seq)
       with recursive n(i) as (select 1001 union all select i + 1 from n where i < 6000)
       select 'main', 101, i, 'Video ' || i, '${at}', '${at}', i from n;`,
      `update video set change_seq = 7000000 where account = 'main' and package_id = 104 and id = 3;`,
      `update video set title = 'new ' || id, change_seq = change_seq + 10000;`,
      `update video set removed_at = '${at}', change_seq = change_seq + 10000 where package_id = 104 and id > 40;`,
      insert('run', {
        run_id: 1,
        trigger: 'manual',
        mode: 'full',
        status: 'failed',
        started_at: at,
        finished_at: at,
        error: 'e',
      }),
      insert('run_failure', { run_id: 1, account: 'main', stream: 'storage', kind: 'status', message: 'e' }),
      insert('run', { run_id: 2, trigger: 'schedule', mode: 'full', status: 'running', started_at: at }),
      insert('walk', {
        ...walk,
        walk_id: 1,
        run_id: 1,
        status: 'failed',
        error: 'e',
        held_back: 1,
        inserted: 1,
      }),
      insert('request', {
        ...{ account: 'main', run_id: 1, purpose: 'page', at_ms: 1, answered_at_ms: 2, status: 200 },
        ...{ spent_until_ms: 2, duration_ms: 1, bytes: 1 },
      }),
      insert('walk', { ...walk, package_id: 101, run_id: 1, status: 'failed', error: 'e' }),
      `update package set failed_walks = 1 where package_id = 101;`,
      insert('walk', { ...walk, run_id: 2, status: 'succeeded' }),
      insert('walk', { ...walk, run_id: 2, status: 'running' }),
      insert('walk', { ...walk, package_id: 102, run_id: 2, status: 'partial', finished_at: at }),
      insert('removal_candidate', {
        ...ofPackage,
        id: 1,
        proved_at: at,
        walk_id: 1,
        held_back: 1,
        ...{ held_at: at, held_by: 1, held_reason: 'many' },
      }),
      insert('quarantine', { ...ofPackage, stream: 'videos', reason: 'r', raw: '{}', seen_at: at }),
      insert('drift', {
        ...{ account: 'main', stream: 'videos', field: 'f', kind: 'new' },
        ...{ first_seen_at: at, last_seen_at: at },
      }),
      insert('storage_gap', {
        account: 'main',
        date: '2026-03-09',
        first_missed_at: at,
        last_requested_at: at,
      }),
      insert('storage_gap', {
        ...{ account: 'main', date: '2026-03-08', first_missed_at: at, last_requested_at: at },
        reason: 'unconfirmed',
      }),
      insert('storage_discrepancy', {
        account: 'main',
        date: '2026-03-07',
        field: 'image_size',
        observed_at: at,
      }),
      storageRow('2026-03-10', 5, { state: 'live' }),
      storageRow('2026-03-06', 5, { observed_at: at }),
      insert('target_load', {
        ...{ target: 'warehouse', account: 'main', outcome: 'loaded', attempted_at: at, notes: '[]' },
        ...{ loads: 1, failures: 0, rows: 1, duration_ms: 1 },
      }),
      insert('package_day', { ...ofPackage, date: '2026-03-09', videos: 60 }),
      insert('pause', {
        ...{ account: 'main', until: at, reason: 'busy', since: at },
        ...{ full_rate_at: '2026-03-10 13:00:00', consecutive_restrictions: 1 },
      }),
    ].join('\n'),
  );
  return live;
}

describe('the queries of docs/status-page.md', () => {
  it('are there as `npm run docs` writes them', () => {
    expect(PAGE.split(MARK)).toHaveLength(2);
    expect(GENERATED).toBe(`\n${queriesMarkdown()}`);
  });

  it('are all queries of the pages, each once', () => {
    const files = readdirSync('src/queries/named');
    expect(files.sort()).toEqual(Object.keys(MODULES).sort());
    const missing = EXPORTED.filter(([, query]) => !DOCUMENTED.some(({ sql }) => sql === query.sql));
    expect(missing.map(([name]) => name)).toEqual([]);
    expect(DOCUMENTED).toHaveLength(EXPORTED.length);
    expect(new Set(DOCUMENTED.map(({ heading }) => heading)).size).toBe(DOCUMENTED.length);
  });

  it('have headings that end in one character', () => {
    const bold = [...GENERATED.matchAll(/^\*\*(.*?)\*\*/gm)].map(([, text = '']) => text);
    expect(bold).toHaveLength(DOCUMENTED.length);
    expect(bold.filter((text) => !/[^.?][.?]$/.test(text))).toEqual([]);
  });
});

describe('on a filled live file', () => {
  let live: string;
  beforeEach(() => void (live = filledFile()));

  it('each query has an answer', () => {
    const silent = DOCUMENTED.filter((query) => readRows(live, query.sql, getValues(query)).length === 0);
    expect(silent.map(({ heading }) => heading)).toEqual([]);
  });

  /** The tables of videos, and their aliases in queries. */
  function findScans(query: DocumentedQuery): string[] {
    const aliases = [...query.sql.matchAll(/\b(?:from|join) (?:video|video_version) as (\w+)/g)];
    const names = ['video', 'video_version', ...aliases.map(([, name = '']) => name)];
    const scan = new RegExp(`^SCAN (TABLE )?(${names.join('|')})\\b`);
    return readRows(live, `explain query plan ${query.sql}`, getValues(query))
      .map(({ detail }) => String(detail))
      .filter((detail) => scan.test(detail));
  }

  it.each(['without statistics of its tables', 'with them'])('no query scans all videos, %s', (how) => {
    if (how === 'with them') execute(live, 'analyze');
    expect(readValue(live, "select count(*) from sqlite_schema where name = 'sqlite_stat1'")).toBe(
      how === 'with them' ? 1 : 0,
    );
    expect(findScans({ heading: '', sql: 'select count(title) from video_version as old' })).toHaveLength(1);
    expect(DOCUMENTED.flatMap(findScans)).toEqual([]);
  });
});

describe('the text of docs/status-page.md around them', () => {
  it('lists the videos of a package in SQL as its page does', async () => {
    const [, list = ''] = /```sql\n([^]*?)```/.exec(HANDWRITTEN) ?? [];
    const { live, page } = await openPages([
      `update video set removed_at = '${at}' where account = 'main' and package_id = 104 and id % 9 = 0;`,
    ]);
    const { part } = await page('/packages/main/104');
    const shown = named(part('content'), 'tbody')
      .flatMap((body) => named(body, 'tr'))
      .map((row) => Number(named(row, 'td').map(getText)[0]));
    const listed = readRows(live, list, ofPackage).map(({ id }) => id);
    expect(listed).toHaveLength(50);
    expect(shown).toEqual(listed);
  });

  it('names addresses that respond', async () => {
    const addresses = [...HANDWRITTEN.matchAll(/^\| (`.*?`) +\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, address = '']) => address),
    );
    expect(addresses).toHaveLength(15);
    const { page, data, url } = await openPages([
      insert('run', { run_id: 104, trigger: 'manual', mode: 'full', status: 'parked', started_at: at }),
    ]);
    for (const address of addresses) {
      const path = address
        .replace('ACCOUNT/PACKAGE/ID', 'main/104/3')
        .replace('ACCOUNT/ID', 'main/104')
        .replace('/ID', '/104')
        .replace('NAME', 'which-tags-are-used-most');
      if (/\.(?:svg|csv)$/.test(path)) expect((await fetch(url + path)).status).toBe(200);
      else await (path.endsWith('.json') ? data(path) : page(path));
    }
  });

  it('links to files that exist', () => {
    const files = [...HANDWRITTEN.matchAll(/\]\(([^)#]+)/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(`docs/${file}`))).toEqual([]);
  });

  it('can be run in the shell of SQLite unchanged', () => {
    const db = new Database(liveFileToServe(), { readonly: true });
    const statements = [...PAGE.matchAll(/```sql\n([^]*?)```/g)].map(([, sql = '']) => sql);
    expect(statements).toHaveLength(DOCUMENTED.length + 1);
    for (const sql of statements) {
      expect(sql).toMatch(/;\n$/);
      expect(() => db.prepare(sql)).not.toThrow();
    }
    db.close();
  });
});

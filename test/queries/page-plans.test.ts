import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { listParameters } from '../../src/database/query.ts';
import { execute, readRows } from '../support/fixtures/live-file.ts';
import { liveFileToServe } from '../support/servers/open-web-server.ts';

const MODULES = readdirSync('src/queries/named').map((name) => `../../src/queries/named/${name}`);

/** The SQL of every query of the pages. */
async function readQueries(): Promise<string[]> {
  const modules = (await Promise.all(MODULES.map((path) => import(path)))) as Record<string, unknown>[];
  return modules
    .flatMap((module) => Object.values(module))
    .flatMap((value) => (typeof value === 'object' && value && 'sql' in value ? String(value.sql) : []));
}

/** Where a query reads all rows of videos, under their names or an alias. */
function findScans(live: string, sql: string): string[] {
  const aliases = [...sql.matchAll(/\b(?:from|join) (?:video|video_version) as (\w+)/g)];
  const names = ['video', 'video_version', ...aliases.map(([, name = '']) => name)];
  const parameters = Object.fromEntries([...listParameters(sql)].map((name) => [name, null]));
  const scan = new RegExp(`^SCAN (TABLE )?(${names.join('|')})\\b`);
  return readRows(live, `explain query plan ${sql}`, parameters)
    .map(({ detail }) => String(detail))
    .filter((detail) => scan.test(detail));
}

describe('the queries of the pages', () => {
  let live: string;
  beforeEach(() => {
    live = liveFileToServe();
    execute(
      live,
      `insert into video (account, package_id, id, title, first_seen_at, changed_at, change_seq)
       with recursive n(i) as (select 1001 union all select i + 1 from n where i < 6000)
       select 'main', 101, i, 'Video ' || i, '2026-03-10 11:00:00', '2026-03-10 11:00:00', i from n;
       update video set title = 'new ' || id, change_seq = change_seq + 10000;`,
    );
  });

  it.each(['without statistics of its tables', 'with them'])(
    'read no whole table of videos, %s',
    async (how) => {
      if (how === 'with them') execute(live, 'analyze');
      const queries = await readQueries();
      expect(queries.length).toBeGreaterThan(30);
      expect(findScans(live, 'select count(title) from video_version as old')).toHaveLength(1);
      expect(queries.flatMap((sql) => findScans(live, sql))).toEqual([]);
    },
  );
});

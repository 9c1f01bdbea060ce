import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readRows } from '../support/fixtures/live-file.ts';
import { openPostgresSite } from '../support/fixtures/postgres-site.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../support/servers/postgres.ts';

vi.setConfig({ testTimeout: 120_000 });

const JAR = '/usr/share/java/postgresql.jar';
const PSYCOPG = '/usr/lib/python3/dist-packages/psycopg2/__init__.py';
const isInstalled = findPostgres() !== null && existsSync(JAR) && existsSync(PSYCOPG);
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));
/** The drivers may not guess the time zone from the machine. */
const ELSEWHERE = {
  env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', TZ: 'Pacific/Honolulu' },
  encoding: 'utf8',
} as const;

interface Alchemy {
  types: Record<string, Record<string, string>>;
  videos: Record<string, [type: string, value: string]>[];
  storage_daily: Record<string, [type: string, value: string]>[];
}

describe.skipIf(!isInstalled)('a target, read by the drivers of BI tools', () => {
  let server: PostgresServer;
  let schema: string;
  let video: Record<string, unknown>;
  let day: Record<string, unknown>;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  async function loadOne() {
    const site = openPostgresSite(server);
    site.register();
    await site.walk([7], {
      title: '강의 "1", \\.',
      filesize: 2 ** 45 + 1,
      duration: 61_500,
      cdate: '2026-01-31 23:59:58.0',
    });
    site.book({ '2026-02-27': 10 });
    await site.ship();
    schema = site.schema;
    const file = `${site.folder}/out.db`;
    [video = {}] = readRows(file, 'select * from videos');
    [day = {}] = readRows(file, `select * from storage_daily where state = 'booked'`);
  }

  it('has types that SQLAlchemy knows, and the values of the published file', async () => {
    await loadOne();
    const output = execFileSync('python3', [script('alchemy.py'), server.url, schema], ELSEWHERE);
    const { types, videos, storage_daily: days } = JSON.parse(output) as Alchemy;
    const used = new Set(Object.values(types).flatMap((columns) => Object.values(columns)));
    expect([...used].sort()).toEqual([
      ...[
        'BIGINT',
        'BOOLEAN',
        'DATE',
        'DOUBLE_PRECISION',
        'TEXT',
        'TIMESTAMP',
        'TIMESTAMP with time zone',
        'UUID',
      ],
    ]);
    expect(types.videos_now?.changed_at).toBe('TIMESTAMP with time zone');
    expect(videos[0]).toMatchObject({
      video_id: ['int', '7'],
      is_removed: ['bool', 'False'],
      title: ['str', '강의 "1", \\.'],
      size_bytes: ['int', String(2 ** 45 + 1)],
      size_gib: ['float', String(video.size_gib)],
      duration_seconds: ['float', '61.5'],
      created_at: ['datetime', '2026-01-31 23:59:58'],
      created_day: ['date', '2026-01-31'],
      changed_at: ['datetime', `${String(video.changed_at)}+00:00`],
      removed_at: ['NoneType', 'None'],
    });
    const booked = days.find(({ state }) => state?.[1] === 'booked');
    expect(booked).toMatchObject({ day: ['date', day.day], total_bytes: ['int', String(day.total_bytes)] });
  });

  it('has types that JDBC knows, and the values of the published file', async () => {
    await loadOne();
    const address = server.url.replace(/^postgres:\/\/([^@]+)@(.*)$/, 'jdbc:postgresql://$2?user=$1');
    const read = (table: string) =>
      Object.fromEntries(
        execFileSync('java', ['-cp', JAR, script('Types.java'), address, `${schema}.${table}`], ELSEWHERE)
          .trim()
          .split('\n')
          .map((line) => line.split('\t'))
          .map(([name = '', ...rest]) => [name, rest]),
      );
    expect(read('videos')).toMatchObject({
      video_id: ['int8', 'Long', '7'],
      is_removed: ['bool', 'Boolean', 'false'],
      title: ['text', 'String', '강의 "1", \\.'],
      size_bytes: ['int8', 'Long', String(2 ** 45 + 1)],
      duration_seconds: ['float8', 'Double', '61.5'],
      created_at: ['timestamp', 'Timestamp', '2026-01-31 23:59:58.0'],
      created_day: ['date', 'Date', '2026-01-31'],
      changed_at: [
        'timestamptz',
        'Timestamp',
        `${String(video.changed_at).replace(' ', 'T').replace(/:00$/, '')}Z`,
      ],
      removed_at: ['timestamptz', 'null', 'null'],
    });
    expect(read(`storage_daily where state = 'booked'`)).toMatchObject({
      day: ['date', 'Date', day.day],
      total_bytes: ['int8', 'Long', String(day.total_bytes)],
      is_month_end: ['bool', 'Boolean', 'true'],
    });
  });
});

/** A live file in which every text that came from outside is an attack on the page that shows it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { insert, liveFileWith, packageRow, storageRow, videoRow } from './filled-live-file.ts';
import { configToServe, type ServedConfig } from './open-site.ts';
import { noteRunner } from './run-holder.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Markup, a way out of an attribute and of a script, and text that turns round what follows it. */
export const ATTACKS = {
  image: '<img src=x onerror=alert(1)>',
  script: '"><script>alert(1)</script>',
  quotes: `' onmouseover='alert(1)' "onfocus="alert(1)" autofocus=`,
  close: '</title></style></textarea><svg onload=alert(1)>',
  address: 'javascript:alert(1)',
  turned: 'invoice\u202Egpj.exe',
  entity: '&lt;b&gt;&#60;img src=x onerror=alert(1)&#62;',
} as const;

/** All of them in one. */
export const EVERYTHING = Object.values(ATTACKS).join(' ');

const NOON = '2026-03-10 11:59:00';
const BEFORE = '2026-03-10 11:30:00';

/** Titles of 101 of `main`, by id from 1 up: one attack each, and all at once. */
export const TITLES = [...Object.values(ATTACKS), EVERYTHING];

const TEXTS = ['cid', 'access_key', 'org_access_key', 'series', 'author', 'content', 'tag', 'copyright'];
const MORE_TEXTS = ['rate', 'etc', 'encoding_success', 'drm_cid', 'opt', 'preloading'];
const everywhere = {
  ...Object.fromEntries([...TEXTS, ...MORE_TEXTS].map((name) => [name, EVERYTHING])),
  extra: JSON.stringify({ [ATTACKS.image]: EVERYTHING }),
};
const pictures = { thumbnail_url: ATTACKS.address, thumbnail_sheet_url: ATTACKS.script };

/** Names of packages of `main`, by their id. */
export const NAMES = new Map<number, string>([
  [101, ATTACKS.image],
  [102, ATTACKS.script],
  [104, `${ATTACKS.turned} ${ATTACKS.quotes}`],
]);

/** The config of `configToServe` with these names. */
export function hostileConfig(keys: readonly string[] = []): ServedConfig {
  const config = configToServe(hostileFile(), keys);
  const accounts = config.accounts.map((account) => ({
    ...account,
    packages: account.packages.map(({ id }) => ({
      id,
      name: account.name === 'main' ? (NAMES.get(id) ?? null) : null,
    })),
  }));
  return { ...config, accounts };
}

/** Its bytes, once one was made: that takes longer than most tests over it. */
let made: Buffer | undefined;

function hostileFile(): string {
  made ??= readFileSync(makeHostileFile());
  const path = join(temporaryFolder(), 'live.db');
  writeFileSync(path, made);
  noteRunner(path);
  return path;
}

/** A run is under way, one failed; 101 holds removals back, and was edited throughout. */
function makeHostileFile(): string {
  return liveFileWith(
    packageRow(101, {
      name: NAMES.get(101) ?? null,
      live_count: TITLES.length,
      totalcount: 90,
      page_size: 10,
      walked_at: BEFORE,
    }),
    packageRow(102, { name: NAMES.get(102) ?? null, walked_at: BEFORE }),
    packageRow(104, { name: NAMES.get(104) ?? null, live_count: 1, walked_at: BEFORE }),
    ...TITLES.map((title, at) => videoRow(at + 1, { title, ...everywhere, ...pictures })),
    `update video set title = 'before', cdate = 'x', series = title, change_seq = change_seq + 100;`,
    ...TITLES.map(
      (title, at) =>
        `update video set title = '${title.replaceAll("'", "''")}', changed_at = '${BEFORE}', change_seq = ${200 + at}
         where id = ${at + 1};`,
    ),
    videoRow(90, { title: EVERYTHING, removed_at: BEFORE, change_seq: 300, cdate: ATTACKS.script }),
    videoRow(1, { package_id: 104, title: ATTACKS.turned, change_seq: 301 }),
    storageRow('2026-03-08', 1_000_000_000),
    storageRow('2026-03-10', 1_200_000_000, { state: 'live' }),
    insert('storage_reading', { account: 'main', observed_at: BEFORE, date: '2026-03-10' }),
    run(1, { status: 'failed', error: EVERYTHING, finished_at: BEFORE, scope: ATTACKS.image }),
    walk(1, 1, 102, { status: 'failed', error: EVERYTHING, finished_at: BEFORE }),
    run(2, { status: 'running', started_at: NOON }),
    walk(2, 2, 101, { status: 'running', totalcount: 90, page_size: 10, checkpoint_page: 5 }),
    walk(3, 2, 104, { status: 'running' }),
    ...[1, 2].map((id) => heldBack(id)),
    insert('quarantine', {
      account: 'main',
      stream: 'videos',
      package_id: 101,
      record_id: ATTACKS.image,
      reason: EVERYTHING,
      raw: EVERYTHING,
      seen_at: BEFORE,
    }),
    drift(ATTACKS.image, 'new'),
    drift(ATTACKS.turned, 'type'),
    drift(ATTACKS.script, 'missing'),
    insert('pause', {
      account: 'main',
      until: '2026-03-10 12:30:00',
      reason: EVERYTHING,
      since: BEFORE,
      back_at: '2026-03-10 13:00:00',
      strikes: 1,
    }),
  );
}

type Row = Parameters<typeof insert>[1];

const run = (run_id: number, row: Row) =>
  insert('run', { run_id, trigger: 'manual', mode: 'full', started_at: BEFORE, requests: 3, ...row });

const walk = (walk_id: number, run_id: number, package_id: number, row: Row) =>
  insert('walk', {
    walk_id,
    run_id,
    account: 'main',
    package_id,
    mode: 'full',
    started_at: BEFORE,
    origin_started_at: BEFORE,
    ...row,
  });

const heldBack = (id: number) =>
  insert('removal_candidate', {
    account: 'main',
    package_id: 101,
    id,
    proved_at: BEFORE,
    walk_id: 1,
    held_back: 1,
    held_at: BEFORE,
    held_reason: 'many',
  });

const drift = (field: string, kind: string) =>
  insert('drift', {
    account: 'main',
    stream: 'videos',
    field,
    kind,
    sample: kind === 'missing' ? null : EVERYTHING,
    first_seen_at: BEFORE,
    last_seen_at: BEFORE,
  });

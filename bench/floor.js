/**
 * The floor: the same walk in plain code without any check, `node bench/floor.js URL PACKAGES FILE`. Prints its seconds and
 * requests as JSON.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { Database } from '../dist/database/sqlite.js';

const [url, packages, file] = process.argv.slice(2);
const db = new Database(file);
for (const pragma of ['busy_timeout = 5000', 'journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'])
  db.pragma(pragma);
const isNew = db.prepare("select 1 from sqlite_schema where name = 'video'").get() === undefined;
const migration = readFileSync(new URL('../drizzle/0000_warehouse.sql', import.meta.url), 'utf8');
if (isNew) for (const statement of migration.split('--> statement-breakpoint')) db.exec(statement);

const fields =
  'id cid access_key org_access_key title series author content tag copyright rate cdate duration etc thumbnail_url thumbnail_sheet_url encoding_success v_width v_height v_framerate filesize drm_cid opt preloading'.split(
    ' ',
  );
const rest = fields.slice(1);
const upsert = db.prepare(`
  insert into video (account, package_id, ${fields}, first_seen_at, changed_at, change_seq)
  values (?, ?, ${fields.map((name) => `@${name}`)}, ?, ?, ?)
  on conflict (account, package_id, id) do update
  set ${rest.map((name) => `${name} = excluded.${name}`)}, changed_at = excluded.changed_at, change_seq = excluded.change_seq, removed_at = null
  where ${rest.map((name) => `video.${name} is not excluded.${name}`).join(' or ')} or video.removed_at is not null`);

let seq = 0;
const storePage = db.transaction((pkg, at, records) => {
  for (const record of records) upsert.run(record, 'main', pkg, at, at, ++seq);
});

const agent = new Agent({ connections: 4 });
let requests = 0;

async function fetchPage(pkg, page) {
  requests++;
  const path = `/info/v1/videos.json?key=k&pkg=${pkg}&sort_item=id&sort_direction=asc&pagesize=1000&page=${page}`;
  const { body } = await request(url + path, { dispatcher: agent });
  return JSON.parse(await body.text()).videoInfoList;
}

async function walk(pkg) {
  const { paging } = await fetchPage(pkg, 1);
  for (let page = paging.totalpage; page >= 1; page--) {
    const { videoInfoList } = await fetchPage(pkg, page);
    storePage(pkg, new Date().toISOString().slice(0, 19).replace('T', ' '), videoInfoList);
  }
}

const startedAt = performance.now();
const queue = Array.from({ length: Number(packages) }, (_, index) => index + 1);
const walkNext = async () => {
  for (let pkg = queue.shift(); pkg !== undefined; pkg = queue.shift()) await walk(pkg);
};
await Promise.all(Array.from({ length: 4 }, walkNext));
console.log(JSON.stringify({ inProcess: (performance.now() - startedAt) / 1000, requests }));
process.exit();

/** What is looked at all the time during the soak: booked days in every copy, and what readers see. */
import { existsSync } from 'node:fs';
import { Database } from '../dist/database/sqlite.js';
import pg from 'pg';
import { query } from './soak-measure.js';

const FIGURES = [
  ...['mov_org_cnt', 'mov_org_size', 'encoder_cnt', 'encoder_size', 'ad_org_cnt', 'ad_org_size'],
  ...['ad_encoder_cnt', 'ad_encoder_size', 'image_count', 'image_size'],
];
const PUBLISHED = [
  'original_video_count',
  'original_video_bytes',
  'encoded_file_count',
  'encoded_file_bytes',
];

const LIVE_DAYS = `select account, date as day, ${FIGURES.join(', ')} from storage_day where state = 'booked'`;
const PUBLISHED_DAYS = `select account, cast(day as text) as day, ${PUBLISHED.join(', ')} from SCHEMA.storage_daily
where state = 'booked'`;

/** Remembers each booked day of each copy as it was seen first. A later difference, or a lost day, goes to `broken`. */
export function createDayBook() {
  const seen = new Map();
  const broken = new Set();
  const look = (copy, rows) => {
    const present = new Set();
    for (const { account, day, ...figures } of rows) {
      const key = `${copy}: ${account} ${day}`;
      const text = Object.values(figures).map(String).join(' ');
      present.add(key);
      if ((seen.get(key) ?? text) !== text) broken.add(`${key} changed from ${seen.get(key)} to ${text}`);
      seen.set(key, text);
    }
    const lost = [...seen.keys()].filter((key) => key.startsWith(`${copy}: `) && !present.has(key));
    for (const key of lost) broken.add(`${key} is lost`);
  };
  return { look, broken, count: () => seen.size };
}

/** The booked days of a live file: checks them, and tells the service which ones it may now report differently. */
export function lookAtLiveFile(worker, book) {
  const rows = readQuietly(worker.live, LIVE_DAYS);
  book.look(worker.name, rows);
  for (const { account, day } of rows)
    worker.accounts.find(({ name }) => name === account).memory.booked.add(day);
}

/** Before the first migration there is a file without tables. */
function readQuietly(path, sql) {
  try {
    return query(path, sql) ?? [];
  } catch (error) {
    if (/no such table/.test(error.message)) return [];
    throw error;
  }
}

/** A reader of the published file: all that it reads through one connection belongs to one publication. */
export function readPublished(worker, book, readers) {
  if (!existsSync(worker.published)) return;
  const db = new Database(worker.published, { readonly: true });
  try {
    book.look(`${worker.name} published`, db.prepare(PUBLISHED_DAYS.replace('SCHEMA.', '')).all());
    const videos = db.prepare('select count(*) from videos').pluck().get();
    const current = db.prepare('select count(*) from video_versions where is_current').pluck().get();
    if (videos !== current)
      readers.broken.add(`${worker.name}: ${videos} videos published, and ${current} current states`);
    readers.file++;
  } finally {
    db.close();
  }
}

/** A reader of the target, in one transaction: it sees each account as it was before a load or after it. */
export async function readTarget(url, book, readers) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('begin isolation level repeatable read read only');
    const { rows } = await client.query(PUBLISHED_DAYS.replace('SCHEMA', 'vodhouse'));
    book.look('target', rows);
    const { rows: halves } = await client.query(`select account, count(*) as videos, (select count(*)
from vodhouse.video_versions h where h.account = v.account and h.is_current) as current
from vodhouse.videos v group by account`);
    const torn = halves.filter(({ videos, current }) => videos !== current);
    for (const each of torn) readers.broken.add(`the target has half of an account: ${JSON.stringify(each)}`);
    readers.target++;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Creates a live file like one after 35 days of hourly runs: videos of about 1 KB, each edited once, 400
 * days of storage, and the ledger of requests. `makeLiveFile(path, videos)`.
 */
import { openDatabase } from '../dist/database/connection.js';

const PACKAGES = 4;
const RUNS = 35 * 24;
const START = Date.UTC(2026, 1, 1);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const at = (ms) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
const words = [
  '강의',
  '소개',
  'Introduction',
  '데이터',
  'season',
  '하이라이트',
  'episode',
  '😀',
  'campus',
  '실습',
];
const phrase = (seed, length) =>
  Array.from({ length }, (_, index) => words[(seed * 7 + index * 3) % words.length]).join(' ');

export function makeLiveFile(path, videos) {
  const { $client: db } = openDatabase(path, START);
  db.pragma('synchronous = OFF');
  db.transaction(() => {
    fillPackages(db, videos);
    fillVideos(db, videos);
    editVideos(db, videos);
    fillStorage(db);
    fillRuns(db, videos);
    db.prepare('update warehouse_state set change_seq = ?').run(2 * videos);
    db.prepare('update package set changed_seq = ?').run(2 * videos);
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

const getPackage = (index, videos) => 1 + Math.floor((index * PACKAGES) / videos);

function fillPackages(db, videos) {
  const insert = db.prepare(
    `insert into package (account, package_id, name, totalcount, page_size, walked_at, first_walked_at, "order", live_count)
     values ('bench', ?, ?, ?, 1000, ?, ?, 'trusted', ?)`,
  );
  const count = videos / PACKAGES;
  for (let id = 1; id <= PACKAGES; id++)
    insert.run(id, `Package ${id}`, count, at(START + 35 * DAY), at(START), count);
}

function fillVideos(db, videos) {
  const names = `account, package_id, id, cid, access_key, org_access_key, title, series, author, content, tag, cdate, duration,
    thumbnail_url, thumbnail_sheet_url, encoding_success, v_width, v_height, v_framerate, filesize, drm_cid, opt, preloading,
    first_seen_at, changed_at, change_seq`;
  const insert = db.prepare(
    `insert into video (${names}) values (${names
      .split(',')
      .map(() => '?')
      .join(', ')})`,
  );
  for (let index = 0; index < videos; index++) {
    const id = index + 1;
    const seen = at(START + Math.floor(index / 1000) * 1000);
    insert.run(
      ...['bench', getPackage(index, videos), id, id % 3 === 0 ? null : `c-${id}`],
      ...[`ak${String(id).padStart(30, '0')}`, `ok${String(id).padStart(30, '0')}`, `${phrase(id, 4)} ${id}`],
      ...[id % 4 === 0 ? null : phrase(id >> 5, 2), id % 5 === 0 ? '' : phrase(id >> 3, 1), phrase(id, 40)],
      ...[id % 2 === 0 ? '' : 'a,b,c', '2025-03-04 05:06:07.0', 60_000 + id],
      ...[`https://images.example.test/${id}.jpg`, '', 'Y', 1920, 1080, 29.97, 40_000_000 + id * 17],
      ...['', 'NONE', '', seen, seen, id],
    );
  }
}

function editVideos(db, videos) {
  const edit = db.prepare(
    'update video set title = title || ?, changed_at = ?, change_seq = ? where rowid = ?',
  );
  for (let index = 0; index < videos; index++) {
    const when = at(START + (1 + Math.floor((index * 30) / videos)) * DAY + Math.floor(index / 1000) * 1000);
    edit.run(' (edited)', when, videos + index + 1, index + 1);
  }
}

function fillStorage(db) {
  const insert = db.prepare(
    `insert into storage_day values ('bench', ?, 1, 1e12, 2, 2e12, 3, 3e9, 4, 4e9, 5, 5e9, 'booked', ?)`,
  );
  for (let day = -365; day < 35; day++) insert.run(at(START + day * DAY).slice(0, 10), at(START + day * DAY));
}

function fillRuns(db, videos) {
  const pages = Math.ceil(videos / PACKAGES / 1000);
  const run = db.prepare(
    `insert into run (trigger, mode, status, started_at, finished_at, requests) values ('schedule', 'full', 'succeeded', ?, ?, ?)`,
  );
  const walk = db.prepare(
    `insert into walk (run_id, account, package_id, mode, status, pages, unchanged, requests, started_at, finished_at, origin_started_at)
     values (?, 'bench', ?, 'full', 'succeeded', ?, ?, ?, ?, ?, ?)`,
  );
  const request = db.prepare(
    `insert into request (account, at_ms, answered_at_ms, purpose, run_id, package_id, page, status, duration_ms, bytes, spent_until_ms)
     values ('bench', ?, ?, 'page', ?, ?, ?, 200, 150, 1000000, ?)`,
  );
  for (let count = 0; count < RUNS; count++) {
    const startedAt = START + count * HOUR;
    const id = run.run(at(startedAt), at(startedAt + 60_000), pages * PACKAGES).lastInsertRowid;
    for (let pkg = 1; pkg <= PACKAGES; pkg++) {
      walk.run(
        id,
        pkg,
        pages,
        videos / PACKAGES,
        pages,
        at(startedAt),
        at(startedAt + 60_000),
        at(startedAt),
      );
      for (let page = pages; page > 0; page--)
        request.run(
          startedAt + page * 200,
          startedAt + page * 200 + 150,
          id,
          pkg,
          page,
          startedAt + page * 200 + 150,
        );
    }
  }
}

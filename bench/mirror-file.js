/**
 * Creates a live file with one package as a walk stores it: videos of about 1 KB, the last page first, and
 * one of 500 removed. `makePackageFile(path, videos)`; `editFile(db, videos, places)` makes the changes of a
 * writer during a measurement.
 */
import { openDatabase } from '../dist/database/connection.js';
import { toTimestamp } from '../dist/lib/clock.js';

const PAGE = 1_000;
const REMOVED_OF = 500;
/** Ids have gaps, so that new videos fit between two others. */
const GAP = 3;
const START = Date.UTC(2026, 1, 1);
const NAMES =
  `account package_id id cid access_key org_access_key title series author content tag cdate duration thumbnail_url
  thumbnail_sheet_url encoding_success v_width v_height v_framerate filesize drm_cid opt preloading first_seen_at changed_at
  change_seq`.split(/\s+/);

const words = '강의 소개 Introduction 데이터 season 하이라이트 episode 인터뷰 campus 실습'.split(' ');
const phrase = (seed, length) =>
  Array.from({ length }, (_, index) => words[(seed * 7 + index * 3) % words.length]).join(' ');

/** A title has four of ten words and its id; a content has 40 words, always all ten of them, and its id. */
function createRow(id, changeSeq) {
  const at = toTimestamp(START + Math.floor(changeSeq / PAGE) * 1000);
  return [
    ...['bench', 1, id, id % 3 === 0 ? null : `c-${id}`],
    ...[`ak${String(id).padStart(30, '0')}`, `ok${String(id).padStart(30, '0')}`, `${phrase(id, 4)} ${id}`],
    ...[id % 4 === 0 ? null : phrase(id >> 5, 2), id % 5 === 0 ? '' : phrase(id >> 3, 1)],
    ...[`${phrase(id, 40)} no. ${id}`, id % 2 === 0 ? '' : 'a,b,c', '2025-03-04 05:06:07.0'],
    ...[60_000 + ((id * 7_919) % 1_000_003), `https://images.example.test/${id}.jpg`, '', 'Y', 1920, 1080],
    ...[29.97, 40_000_000 + id * 17, '', 'NONE', '', at, at, changeSeq],
  ];
}

function prepareInsert(db) {
  return db.prepare(`insert into video (${NAMES.join()}) values (${NAMES.map(() => '?').join()})`);
}

export function makePackageFile(path, videos) {
  const { $client: db } = openDatabase(path, START);
  db.pragma('synchronous = OFF');
  db.transaction(() => {
    fillPackage(db);
    const insert = prepareInsert(db);
    let changeSeq = 0;
    for (let first = videos - PAGE; first >= 0; first -= PAGE)
      for (let index = first; index < first + PAGE; index++) insert.run(createRow(index * GAP, ++changeSeq));
    recordChange(db, videos, changeSeq);
    const removed = Array.from({ length: videos / REMOVED_OF }, (_, index) => index * REMOVED_OF);
    remove(db, removed);
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

function fillPackage(db) {
  const at = toTimestamp(START);
  db.prepare(
    `insert into package (account, package_id, page_size, walked_at, first_walked_at, "order") values ('bench', 1, 1000, ?, ?, 'trusted')`,
  ).run(at, at);
}

function remove(db, places) {
  const at = toTimestamp(START + 86_400_000);
  const changeSeq = lastChange(db) + 1;
  const mark = db.prepare(
    "update video set removed_at = ?, change_seq = ? where account = 'bench' and package_id = 1 and id = ? and removed_at is null",
  );
  const count = places.reduce((sum, place) => sum + mark.run(at, changeSeq, place * GAP).changes, 0);
  recordChange(db, -count, changeSeq);
}

function retitle(db, places) {
  const changeSeq = lastChange(db) + 1;
  const change = db.prepare(
    "update video set title = title || '.', change_seq = ? where account = 'bench' and package_id = 1 and id = ?",
  );
  for (const place of places) change.run(changeSeq, place * GAP);
  recordChange(db, 0, changeSeq);
}

let inserted = 0;

/**
 * Inserts new videos directly after these positions; the first call uses the first gap, the second call the
 * second gap.
 */
function insert(db, places) {
  const changeSeq = lastChange(db) + 1;
  const statement = db.prepare(
    `insert or ignore into video (${NAMES.join()}) values (${NAMES.map(() => '?').join()})`,
  );
  const gap = 1 + (inserted++ % (GAP - 1));
  const count = places.reduce(
    (sum, place) => sum + statement.run(createRow(place * GAP + gap, changeSeq)).changes,
    0,
  );
  recordChange(db, count, changeSeq);
}

/**
 * One commit: of ten videos at these positions it changes four, removes three, and inserts new videos after
 * three.
 */
export function editFile(db, places) {
  const [changed, removed] = [0.4, 0.7].map((share) => Math.round(places.length * share));
  db.transaction(() => {
    retitle(db, places.slice(0, changed));
    remove(db, places.slice(changed, removed));
    insert(db, places.slice(removed));
  }).immediate();
}

function lastChange(db) {
  return db.prepare('select change_seq from warehouse_state').pluck().get();
}

function recordChange(db, more, changeSeq) {
  db.prepare('update package set live_count = live_count + ?, changed_seq = ?').run(more, changeSeq);
  db.prepare('update warehouse_state set change_seq = ?').run(changeSeq);
}

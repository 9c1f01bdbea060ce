/**
 * Creates a live file of many packages after months of work: videos of about 1 KB, edits and removals, walks
 * of ten runs, the sizes of ninety days, and two years of storage. `makePagesFile(path, { packages, videos
 * })`; `videos` is the total.
 */
import { openDatabase } from '../dist/database/connection.js';
import { toTimestamp } from '../dist/lib/clock.js';

const DAY_MS = 86_400_000;
const SIZE_DAYS = 90;
const STORAGE_DAYS = 730;
const RUNS = 10;
const LAST = 10_000;

const words = '강의 소개 Introduction 데이터 season 하이라이트 episode 인터뷰 campus 실습'.split(' ');
const phrase = (seed, length) =>
  Array.from({ length }, (_, index) => words[(seed * 7 + index * 3) % words.length]).join(' ');
const day = (now, ago) => toTimestamp(now - ago * DAY_MS).slice(0, 10);

export function makePagesFile(path, { packages, videos, now }) {
  const { $client: db } = openDatabase(path, now);
  db.pragma('synchronous = OFF');
  db.transaction(() => {
    fillPackages(db, packages, videos / packages, now);
    fillVideos(db, packages, videos / packages, now);
    fillRuns(db, packages, now);
    fillStorage(db, now);
    change(db, packages, videos / packages, now);
  })();
  db.exec('analyze');
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

function fillPackages(db, packages, each, now) {
  const insert = db.prepare(
    `insert into package (account, package_id, name, totalcount, page_size, walked_at, first_walked_at, "order", live_count)
     values ('bench', ?, ?, ?, 1000, ?, ?, 'trusted', ?)`,
  );
  const size = db.prepare("insert into package_day values ('bench', ?, ?, ?)");
  const at = toTimestamp(now - 600_000);
  for (let id = 1; id <= packages; id++) {
    insert.run(id, phrase(id, 2), each, at, toTimestamp(now - 90 * DAY_MS), each);
    for (let ago = SIZE_DAYS; ago >= 0; ago--) size.run(id, day(now, ago), each - ((ago * id) % 50));
  }
}

function fillVideos(db, packages, each, now) {
  const insert = db.prepare(
    `insert into video (account, package_id, id, title, series, content, cdate, duration, filesize, thumbnail_url,
       first_seen_at, changed_at, change_seq)
     values ('bench', ?, ?, ?, ?, ?, '2025-03-04 05:06:07.0', ?, ?, ?, ?, ?, ?)`,
  );
  const at = toTimestamp(now - 30 * DAY_MS);
  let seq = 0;
  for (let id = 1; id <= packages; id++) {
    for (let index = 0; index < each; index++) {
      const video = id * 10_000 + index;
      const texts = [
        `${phrase(video, 4)} ${video}`,
        phrase(video >> 5, 2),
        `${phrase(video, 60)} no. ${video}`,
      ];
      const figures = [60_000 + ((video * 7_919) % 1_000_003), 40_000_000 + video * 17];
      insert.run(id, video, ...texts, ...figures, `https://images.example.test/${video}.jpg`, at, at, ++seq);
    }
  }
  db.prepare('update warehouse_state set change_seq = ?').run(seq);
}

function fillRuns(db, packages, now) {
  const run = db.prepare(
    `insert into run (trigger, mode, status, started_at, finished_at, requests) values ('schedule', 'full', 'succeeded', ?, ?, ?)`,
  );
  const walk = db.prepare(
    `insert into walk (run_id, account, package_id, mode, status, pages, totalcount, unchanged, updated, started_at, finished_at, origin_started_at)
     values (?, 'bench', ?, 'full', 'succeeded', 1, 1000, 999, 1, ?, ?, ?)`,
  );
  for (let ago = RUNS; ago >= 1; ago--) {
    const [from, to] = [toTimestamp(now - ago * 3_600_000), toTimestamp(now - ago * 3_600_000 + 3_000_000)];
    const { lastInsertRowid: id } = run.run(from, to, packages);
    for (let number = 1; number <= packages; number++) walk.run(id, number, from, to, from);
  }
}

function fillStorage(db, now) {
  const insert = db.prepare(
    `insert into storage_day (account, date, mov_org_size, encoder_size, ad_org_size, ad_encoder_size, image_size, state, observed_at)
     values ('bench', ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (let ago = STORAGE_DAYS; ago >= 0; ago--) {
    if (ago % 100 === 7) continue; // a gap
    const size = 4e13 - ago * 1e10;
    const sizes = [size, size / 2, size / 40, size / 80, size / 400].map(Math.round);
    insert.run(day(now, ago), ...sizes, ago === 0 ? 'live' : 'booked', toTimestamp(now));
  }
  db.prepare(
    `insert into storage_reading (account, observed_at, date, mov_org_size) values ('bench', ?, ?, 1)`,
  ).run(toTimestamp(now), day(now, 0));
}

/** The last edits and removals, with their former states. */
function change(db, packages, each, now) {
  const edit = db.prepare(
    "update video set title = title || '.', changed_at = ?, change_seq = ? where account = 'bench' and package_id = ? and id = ?",
  );
  const remove = db.prepare(
    "update video set removed_at = ?, changed_at = ?, change_seq = ? where account = 'bench' and package_id = ? and id = ?",
  );
  const at = toTimestamp(now - 3_600_000);
  let seq = packages * each;
  for (let count = 0; count < LAST; count++) {
    const id = 1 + ((count * 7) % packages);
    const video = id * 10_000 + ((count * 31) % each);
    if (count % 10 === 0) remove.run(at, at, ++seq, id, video);
    else edit.run(at, ++seq, id, video);
  }
  db.prepare('update warehouse_state set change_seq = ?').run(seq);
}

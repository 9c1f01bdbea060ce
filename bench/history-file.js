/**
 * Creates a live file with a long history: versions of videos in many packages, over 400 days.
 * `makeHistoryFile(path, { packages, videos, versions })`.
 */
import { openDatabase } from '../dist/database/connection.js';

const DAYS = 400;
const DAY = 86_400_000;
/** The day after the last change. */
export const END = Date.UTC(2026, 2, 8);
const START = END - DAYS * DAY;

const at = (ms) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
const CONTENT = '강의 소개 Introduction 데이터 season 하이라이트 episode campus '.repeat(4);
/** Spreads consecutive numbers evenly over [0, 1). */
const spread = (number) => (number * 0.618_033_988_749_895) % 1;

/**
 * `videos` live videos, each with `versions` former states, in the order in which a worker would store them:
 * by the time of the change, not by video.
 */
export function makeHistoryFile(path, { packages, videos, versions }) {
  const { $client: db } = openDatabase(path, START);
  db.pragma('synchronous = OFF');
  db.transaction(() => {
    fillPackages(db, packages, videos);
    const changeSeq = fillVersions(db, { packages, videos, versions });
    fillVideos(db, { packages, videos, versions }, changeSeq);
    db.prepare('update warehouse_state set change_seq = ?').run(changeSeq + videos);
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

/** The start of a state of a video: the first state starts first, the others are spread over all days. */
function getBegin(video, state, versions) {
  if (state === 0) return START + (video % 3600) * 1000;
  return START + Math.floor(((state - 1 + spread(video)) / versions) * (DAYS - 1) * DAY + DAY);
}

function fillPackages(db, packages, videos) {
  const insert = db.prepare(
    `insert into package (account, package_id, name, totalcount, page_size, walked_at, first_walked_at, "order", live_count)
     values ('bench', ?, ?, ?, 1000, ?, ?, 'trusted', ?)`,
  );
  const count = videos / packages;
  for (let id = 1; id <= packages; id++) insert.run(id, `Package ${id}`, count, at(END), at(START), count);
}

const NAMES =
  'account, package_id, id, title, content, duration, filesize, first_seen_at, changed_at, change_seq';

const createCells = (video, state, packages) => [
  ...['bench', 1 + (video % packages), video + 1, `Video ${video} (${state})`, CONTENT],
  ...[60_000 + video, 40_000_000 + video * 17 + state],
];

function fillVersions(db, { packages, videos, versions }) {
  const insert = db.prepare(
    `insert into video_version (${NAMES}, valid_from, valid_to) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  let changeSeq = 0;
  for (let state = 0; state < versions; state++) {
    const order = Array.from({ length: videos }, (_, video) => video).sort(
      (one, other) => getBegin(one, state, versions) - getBegin(other, state, versions),
    );
    for (const video of order) {
      const [from, to] = [getBegin(video, state, versions), getBegin(video, state + 1, versions)].map(at);
      const startedAt = at(getBegin(video, 0, versions));
      insert.run(...createCells(video, state, packages), startedAt, from, ++changeSeq, from, to);
    }
  }
  return changeSeq;
}

function fillVideos(db, { packages, videos, versions }, changeSeq) {
  const insert = db.prepare(`insert into video (${NAMES}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  for (let video = 0; video < videos; video++) {
    const startedAt = at(getBegin(video, 0, versions));
    const changed = at(getBegin(video, versions, versions));
    insert.run(...createCells(video, versions, packages), startedAt, changed, changeSeq + video + 1);
  }
}

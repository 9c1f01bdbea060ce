/** The search over the titles of all packages. It goes through the file in parts, the videos stored last first. */
import { query } from '../../database/query.ts';

export interface FoundVideo {
  /** Where the search goes on. */
  position: number;
  account: string;
  package_id: number;
  package_name: string | null;
  id: number;
  title: string | null;
  duration: number | null;
  filesize: number | null;
  first_seen_at: string;
  removed_at: string | null;
}

/** What a video must be like; null: anything. */
export interface SearchFilter {
  /** Its title, for LIKE with the escape `\\`. */
  pattern: string;
  account: string | null;
  package_id: number | null;
  /** When it was first stored. */
  stored_from: string | null;
  stored_until: string | null;
  min_bytes: number | null;
  max_bytes: number | null;
  /** In the unit of the service. */
  min_duration: number | null;
  max_duration: number | null;
  /** 1: removed videos; 0: those of the packages. */
  removed: 0 | 1 | null;
}

const CONDITIONS = `coalesce(video.title, '') like :pattern escape '\\'
  and (:stored_from is null or video.first_seen_at >= :stored_from)
  and (:stored_until is null or video.first_seen_at < :stored_until)
  and (:min_bytes is null or video.filesize >= :min_bytes)
  and (:max_bytes is null or video.filesize < :max_bytes)
  and (:min_duration is null or video.duration >= :min_duration)
  and (:max_duration is null or video.duration < :max_duration)
  and (:removed is null or (video.removed_at is not null) = :removed)`;

const COLUMNS = `video.account, video.package_id, package.name as package_name, video.id, video.title, video.duration,
  video.filesize, video.first_seen_at, video.removed_at`;

const PACKAGE = `left join package on package.account = video.account and package.package_id = video.package_id`;

type Part = SearchFilter & { after: number; upto: number };

export const FOUND = query<FoundVideo, Part>(
  'Search titles in all packages',
  'A part of the file, by the order in which videos were first stored. `like` does not tell a from A.',
  `
select video.rowid as position, ${COLUMNS}
from video
${PACKAGE}
where video.rowid > :after and video.rowid <= :upto
  and ${CONDITIONS}
order by video.rowid desc`,
);

export const FOUND_IN_PACKAGE = query<FoundVideo, Part>(
  'Search titles in one package',
  'A part of the package, by id.',
  `
select video.id as position, ${COLUMNS}
from video
${PACKAGE}
where video.account = :account and video.package_id = :package_id and video.id > :after and video.id <= :upto
  and ${CONDITIONS}
order by video.id desc`,
);

/** The highest position of all videos, or of a package; null without videos. */
export const LAST_POSITION = query<{ position: number | null }>(
  'Where a search in all packages begins',
  '',
  `
select max(rowid) as position
from video`,
);

/** The position `:size` videos before `:upto`; no row at the beginning. */
export const PART_OF_PACKAGE = query<
  { position: number },
  { account: string; package_id: number; upto: number; size: number }
>(
  'Where a part of a package ends',
  '',
  `
select id as position
from video
where account = :account and package_id = :package_id and id <= :upto
order by id desc
limit 1 offset :size`,
);

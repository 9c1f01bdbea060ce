/** All packages side by side. */
import { query } from '../../database/query.ts';

export interface LastChange {
  account: string;
  package_id: number;
  /** The change of the file with which its videos last changed; 0: never. */
  changed_seq: number;
}

export const PACKAGE_CHANGES = query<LastChange>(
  'The last change of each package',
  '`changed_seq` orders them by it.',
  `
select account, package_id, changed_seq
from package
where retired_at is null`,
);

/** What the videos of a package add up to; `duration` in the unit of the service. Doubles beyond 2^53. */
export interface PackageTotals {
  size_bytes: number;
  duration: number;
  /** When one of its videos last changed; null without videos. */
  changed_at: string | null;
}

export const PACKAGE_TOTALS = query<PackageTotals, { account: string; package_id: number }>(
  'What the videos of a package add up to',
  'Read in a thread of its own, once after each change of the package. Videos of unknown size or length count as 0.',
  `
select coalesce(total(filesize) filter (where removed_at is null), 0) as size_bytes,
  coalesce(total(duration) filter (where removed_at is null and duration > 0), 0) as duration,
  max(coalesce(removed_at, changed_at)) as changed_at
from video
where account = :account and package_id = :package_id`,
);

export const QUARANTINE_BY_PACKAGE = query<{ account: string; package_id: number; open: number }>(
  'Packages with records in quarantine',
  'Video records that could not be stored, and were not stored since.',
  `
select account, package_id, count(*) as open
from quarantine
where stream = 'videos' and package_id is not null and resolved_at is null
group by account, package_id`,
);

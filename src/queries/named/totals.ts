/** The changes of the day. */
import { query } from '../../database/query.ts';

export interface VideoChanges {
  inserted: number;
  restored: number;
  removed: number;
}

export const VIDEO_CHANGES = query<VideoChanges, { at: string }>(
  'How many videos came and went today',
  'Counted by the walks of the runs that began at `:at` or later: midnight of the service, in UTC.',
  `
select coalesce(sum(inserted), 0) as inserted, coalesce(sum(restored), 0) as restored, coalesce(sum(removed), 0) as removed
from walk
where run_id > coalesce((select run_id from run where started_at < :at order by run_id desc limit 1), 0)`,
);

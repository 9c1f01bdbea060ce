/** The targets of publish.targets. */
import { query } from '../../database/query.ts';
import type { targetLoad } from '../../database/schema/targets.ts';

export type TargetLoadRow = typeof targetLoad.$inferSelect;

export const TARGET_LOADS = query<TargetLoadRow>(
  'What became of each account in each target',
  'The last load of an account, and the last one that succeeded. An account that was never loaded has no row.',
  `
select *
from target_load
order by target, account`,
);

export const LAST_CHANGES = query<{ account: string; change_seq: number }>(
  'The last change of a video of each account',
  'A target is behind where its `change_seq` of the account is less, or NULL.',
  `
select account, max(changed_seq) as change_seq
from package
group by account`,
);

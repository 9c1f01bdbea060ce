/** The targets of publish.targets. */
import { query } from '../../database/query.ts';
import type { targetLoad } from '../../database/schema/targets.ts';

export type TargetLoadRow = typeof targetLoad.$inferSelect;

/**
 * The last load of each account into each target, and the last one that succeeded. An account that was never
 * loaded has no row.
 */
export const TARGET_LOADS = query<TargetLoadRow>(`
select *
from target_load
order by target, account`);

/**
 * The last change of a video of each account. A target is behind where its `change_seq` of the account is
 * less, or NULL.
 */
export const LAST_CHANGES = query<{ account: string; change_seq: number }>(`
select account, max(changed_seq) as change_seq
from package
group by account`);

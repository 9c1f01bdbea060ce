/** What a check of every kind of target looks at: clocks, and who has an account. Pure. */
import { formatDuration } from '../../lib/format.ts';
import type { AccountHolder } from './account-holder.ts';
import { failed, passed, type CheckRequest, type TargetCheck } from './check-result.ts';

const SKEW_WARNED_MS = 60_000;
const SKEW_FAILED_MS = 600_000;

/** `offsetMs`: how far the clock of the target is ahead of that of this machine, to half a second; `of`: what has that clock. */
export function judgeClock(offsetMs: number, of: 'database' | 'store'): TargetCheck {
  const size = Math.abs(offsetMs);
  const text = `the clock of the ${of} is ${formatDuration(size)} ${offsetMs > 0 ? 'ahead' : 'behind'}`;
  if (size <= SKEW_WARNED_MS) return passed('clock', 'as that of this machine');
  const hint = 'set the clock of the machine that is wrong, best by NTP';
  return { asked: 'clock', state: size > SKEW_FAILED_MS ? 'failed' : 'warning', result: text, hint };
}

/** Who has the account, and whether this worker may load it. `found`: left out where nobody ever claimed it. */
export function describeHolder(
  account: string,
  found: AccountHolder | undefined,
  { target, holder, warehouseId }: CheckRequest,
): TargetCheck {
  const asked = `account ${account}`;
  if (!found) return passed(asked, 'not loaded yet');
  const loaded = found.loadedAt === null ? 'not loaded yet' : `loaded ${found.loadedAt} UTC`;
  const isElsewhere = found.warehouseId !== warehouseId;
  if (isElsewhere)
    return failed(
      asked,
      `belongs to another warehouse (${found.warehouseId}), ${loaded} by ${found.worker}`,
      `if this warehouse is the right one: vodhouse publish --target ${target.name} --rebuild ${account}`,
    );
  if (found.instance === holder.instance) return passed(asked, `${loaded} by this worker`);
  if (!found.isHeld) return passed(asked, `${loaded} by ${found.worker}, whose lease has ended`);
  return failed(
    asked,
    `held by ${found.worker} until ${found.leaseUntil} UTC`,
    'stop that worker, or take the account out of one of the configs',
  );
}

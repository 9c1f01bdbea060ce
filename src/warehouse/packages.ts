/** The packages of the config as the live file follows them: added, returned and retired. */
import { toTimestamp } from '../lib/clock.ts';
import type { PackageKey } from '../sync/package-key.ts';
import type { Tx } from '../database/connection.ts';
import * as packages from './statements/package.ts';
import { deletePagesAbout } from './statements/page-hash.ts';
import { dropCandidates } from './statements/removal.ts';
import { retireVideos } from './statements/video.ts';
import { forgetCheckpoints } from './statements/walk.ts';
import { getChangeSeq, setChangeSeq } from './statements/warehouse-state.ts';

export interface ConfiguredAccount {
  name: string;
  packages: readonly { id: number; name: string | null; full?: string }[];
}

/** Adds the configured packages, and retires the others. */
export function registerPackages(
  tx: Tx,
  configuredAccounts: readonly ConfiguredAccount[],
  now: number,
): void {
  const followed = new Set<string>();
  for (const { name: account, packages: configured } of configuredAccounts) {
    for (const { id, name, full: schedule = null } of configured) {
      const key = { account, packageId: id };
      packages.returnPackage(tx, key);
      packages.registerPackage(tx, { account, package_id: id, name, schedule });
      followed.add(`${account}/${id}`);
    }
  }
  for (const { account, packageId } of packages.listActivePackages(tx))
    if (!followed.has(`${account}/${packageId}`)) retire(tx, { account, packageId }, now);
}

/** Retires a package, and ends the states of its videos. A walk after its return starts at the last page. */
function retire(tx: Tx, key: PackageKey, now: number): void {
  const at = toTimestamp(now);
  const before = getChangeSeq(tx);
  const changeSeq = before + retireVideos(tx, { ...key, at, changeSeq: before });
  setChangeSeq(tx, { seq: changeSeq });
  packages.retirePackage(tx, { ...key, at, changeSeq });
  dropCandidates(tx, key, 'all');
  forgetCheckpoints(tx, key);
  deletePagesAbout(tx, { ...key, low: 0, high: Number.MAX_SAFE_INTEGER });
}

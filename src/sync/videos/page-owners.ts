/** Which package of an account showed a page with these bytes in an earlier run: for packages of which nothing is known yet. */
import type { Warehouse } from '../../warehouse/warehouse.ts';

export interface PageOwners {
  /** Another package that showed these bytes, or null. */
  findOwner(hash: string, packageId: number): Promise<number | null>;
  /** Packages of this run that were asked again for what another one shows, and do show it. */
  copies: number;
  /** Pages of this run that came again with the echo of a search, and were stored all the same. */
  echoes: number;
}

/** Holds a number a page, read when it is asked for first. Packages that are read for the first time now are no evidence. */
export function createPageOwners(
  warehouse: Pick<Warehouse, 'hashesOf'>,
  account: string,
  startedAt: () => number,
): PageOwners {
  let earlier: Promise<Map<number, number>> | null = null;
  return {
    findOwner: async (hash, packageId) => {
      earlier ??= warehouse.hashesOf(account, startedAt()).then(byHash);
      const owner = (await earlier).get(keyOf(hash)) ?? packageId;
      return owner === packageId ? null : owner;
    },
    copies: 0,
    echoes: 0,
  };
}

function byHash(hashes: readonly (readonly [packageId: number, hash: string])[]): Map<number, number> {
  return new Map(hashes.map(([packageId, hash]) => [keyOf(hash), packageId]));
}

/** 52 of its bits: two pages of a million share them by chance once in 9,000 times, and that costs one request. */
function keyOf(hash: string): number {
  return Number.parseInt(hash.slice(0, 13), 16);
}

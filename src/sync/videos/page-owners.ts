/** Which package of an account showed a page with these bytes in an earlier run: evidence for packages without rows. */
import type { Warehouse } from '../../warehouse/warehouse.ts';

export interface PageOwners {
  /** Another package that showed these bytes, or null. */
  findOwner(hash: string, packageId: number): number | null;
  /** Pages of this run that were requested again because another package shows them, and were stored. */
  copies: number;
  /** Pages of this run that were returned twice with the echo of a search, and were stored. */
  echoes: number;
}

/** Reads the hashes at the first lookup. Packages that are read for the first time since `startedAt` are no evidence. */
export function createPageOwners(
  warehouse: Pick<Warehouse, 'findPageHashes'>,
  account: string,
  startedAt: () => number,
): PageOwners {
  let owners: Map<number, number> | null = null;
  return {
    findOwner: (hash, packageId) => {
      owners ??= new Map(
        warehouse
          .findPageHashes(account, startedAt())
          .map(({ packageId: id, hash: each }) => [toKey(each), id]),
      );
      const owner = owners.get(toKey(hash)) ?? packageId;
      return owner === packageId ? null : owner;
    },
    copies: 0,
    echoes: 0,
  };
}

/** 52 bits of the hash. Two of a million pages share them once in 9,000 times, and that costs one request. */
function toKey(hash: string): number {
  return Number.parseInt(hash.slice(0, 13), 16);
}

/** Where the live rows of a package stand in its list, at any depth: a sum over blocks, and a read of one or two. */
import { createBlocks, lastAtMost, type Block, type Blocks, type Ids } from './blocks.ts';

/** A stretch of ids: its live rows without the first `skip`, at most `take` of them. */
export interface Stretch {
  low: number;
  high: number;
  skip: number;
  take: number;
}

export interface Ranks extends Pick<Blocks, 'came' | 'changed'> {
  /** Live rows in all. */
  size(): number;
  /** Where the live rows of the ranks `rank` (from 0 up) to `rank + count - 1` are, in order. */
  stretches(rank: number, count: number): Stretch[];
}

/** Ranks over blocks of so many ids. */
export function createRanks(ids: Ids, blockSize: number): Ranks {
  const blocks = createBlocks(ids, blockSize);
  let of: readonly Block[] = [];
  /** How many live rows stand before each block, and before the end. */
  let before = [0];

  function settle(): readonly Block[] {
    const counted = blocks.counted();
    if (counted === of) return of;
    let sum = 0;
    before = [0, ...counted.map(({ live }) => (sum += live))];
    return (of = counted);
  }

  return {
    came: (id) => blocks.came(id),
    changed: (id) => blocks.changed(id),
    size: () => {
      settle();
      return before.at(-1) ?? 0;
    },
    stretches: (rank, count) => {
      const counted = settle();
      const found: Stretch[] = [];
      let index = lastAtMost(before, (live) => live, rank);
      let skip = rank - (before[index] ?? 0);
      for (let left = count; left > 0 && index < counted.length; index++) {
        const { low, high, live } = counted[index] as Block;
        const take = Math.min(left, live - skip);
        if (take > 0) found.push({ low, high, skip, take });
        left -= Math.max(0, take);
        skip = Math.max(0, skip - live);
      }
      return found;
    },
  };
}

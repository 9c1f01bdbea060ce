/**
 * Where the live rows of a package stand in its list, without counting them through: ids are held in blocks of a thousand,
 * and of each block how many are live. The page at any depth is a sum over blocks and a read of one or two.
 */

/** So many known ids make a block, unless said otherwise; one that has grown to twice as many is cut anew. */
export const BLOCK = 1_000;

/** Every id is below this. */
const LAST_ID = Number.MAX_SAFE_INTEGER;

/** Questions about the ids of one package from `low` to `high`, both included. */
export interface Ids {
  /** The id that comes `distance` known ids after the first one; a look at the index alone, as are the others. */
  after(low: number, high: number, distance: number): number | undefined;
  known(low: number, high: number): number;
  removed(low: number, high: number): number;
}

/** A stretch of ids: its live rows without the first `skip`, at most `take` of them. */
export interface Stretch {
  low: number;
  high: number;
  skip: number;
  take: number;
  /** None of its rows is removed. */
  isWhole: boolean;
}

export interface Ranks {
  /** The row of this id is new. */
  came(id: number): void;
  /** The row of this id was removed, or restored, or is otherwise not what it was. */
  changed(id: number): void;
  /** Live rows in all. */
  size(): number;
  /** Where the live rows of the ranks `rank` (from 0 up) to `rank + count - 1` are, in order. */
  stretches(rank: number, count: number): Stretch[];
}

/** From `low` to where the next one begins. */
interface Block {
  low: number;
  known: number;
  live: number;
}

/** Counts a package through once; after that, what has changed costs a look at the removed rows of its block. */
export function createRanks(ids: Ids, blockSize: number): Ranks {
  const blocks = cut(ids, blockSize, 0, LAST_ID);
  const touched = new Set<Block>();
  let before = sums(blocks);

  const highOf = (index: number) => (blocks[index + 1]?.low ?? LAST_ID + 1) - 1;

  function blockOf(id: number): Block {
    const block = blocks[lastAtMost(blocks.length, (at) => blocks[at]?.low ?? 0, id)] as Block;
    touched.add(block);
    return block;
  }

  /** Counts what was touched; the last first, for a block that is cut moves those behind it. */
  function settle(): void {
    if (touched.size === 0) return;
    for (let index = blocks.length - 1; index >= 0; index--) {
      const block = blocks[index] as Block;
      if (!touched.has(block)) continue;
      const high = highOf(index);
      if (block.known >= 2 * blockSize) blocks.splice(index, 1, ...cut(ids, blockSize, block.low, high));
      else block.live = block.known - ids.removed(block.low, high);
    }
    touched.clear();
    before = sums(blocks);
  }

  return {
    came: (id) => void blockOf(id).known++,
    changed: (id) => void blockOf(id),
    size: () => {
      settle();
      return before.at(-1) ?? 0;
    },
    stretches: (rank, count) => {
      settle();
      const found: Stretch[] = [];
      let index = lastAtMost(blocks.length, (at) => before[at] ?? 0, rank);
      let skip = rank - (before[index] ?? 0);
      for (let left = count; left > 0 && index < blocks.length; index++) {
        const { low, known, live } = blocks[index] as Block;
        const take = Math.min(left, live - skip);
        if (take > 0) found.push({ low, high: highOf(index), skip, take, isWhole: known === live });
        left -= Math.max(0, take);
        skip = Math.max(0, skip - live);
      }
      return found;
    },
  };
}

/** The blocks of the ids from `low` to `high`; at least one. */
function cut(ids: Ids, blockSize: number, low: number, high: number): Block[] {
  const blocks: Block[] = [];
  for (let start: number | undefined = low; start !== undefined;) {
    const next = ids.after(start, high, blockSize);
    const last = next === undefined ? high : next - 1;
    const known = next === undefined ? ids.known(start, high) : blockSize;
    blocks.push({ low: start, known, live: known - ids.removed(start, last) });
    start = next;
  }
  return blocks;
}

/** How many live rows stand before each block, and before the end. */
function sums(blocks: readonly Block[]): number[] {
  let sum = 0;
  return [0, ...blocks.map(({ live }) => (sum += live))];
}

/** The last of `length` ascending values that is not above `value`; 0 where all are. */
function lastAtMost(length: number, valueAt: (index: number) => number, value: number): number {
  let [low, high] = [0, length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (valueAt(middle) <= value) low = middle;
    else high = middle;
  }
  return low;
}

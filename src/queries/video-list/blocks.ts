/** The known ids of a package in stretches of about a thousand, and how many of each are live. */

/** So many known ids make a block, unless said otherwise; one that has grown to twice as many is cut anew. */
export const BLOCK = 1_000;

/** Every id is below this. */
const LAST_ID = Number.MAX_SAFE_INTEGER;

/** Questions about the ids of one package from `low` to `high`, both included; each a look at an index alone. */
export interface Ids {
  /** The id that comes `distance` known ids after the first one. */
  after(low: number, high: number, distance: number): number | undefined;
  known(low: number, high: number): number;
  removed(low: number, high: number): number;
}

/** The ids from `low` to `high`. */
export interface Block {
  low: number;
  high: number;
  known: number;
  live: number;
}

export interface Blocks {
  /** The row of this id is new. */
  came(id: number): void;
  /** The row of this id was removed, or restored, or is otherwise not what it was. */
  changed(id: number): void;
  /** All of them, in order, as they are now; the same list as before where nothing was told. */
  counted(): readonly Block[];
}

/** Counts a package through once; after that, what has changed costs a look at the removed rows of its block. */
export function createBlocks(ids: Ids, blockSize: number): Blocks {
  let blocks = cut(ids, blockSize, 0, LAST_ID);
  const touched = new Set<Block>();

  function touch(id: number): Block {
    const block = blocks[lastAtMost(blocks, ({ low }) => low, id)] as Block;
    touched.add(block);
    return block;
  }

  function recounted(block: Block): Block[] {
    if (!touched.has(block)) return [block];
    if (block.known >= 2 * blockSize) return cut(ids, blockSize, block.low, block.high);
    return [{ ...block, live: block.known - ids.removed(block.low, block.high) }];
  }

  return {
    came: (id) => {
      touch(id).known++;
    },
    changed: (id) => {
      touch(id);
    },
    counted: () => {
      if (touched.size > 0) blocks = blocks.flatMap(recounted);
      touched.clear();
      return blocks;
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
    blocks.push({ low: start, high: last, known, live: known - ids.removed(start, last) });
    start = next;
  }
  return blocks;
}

/** The last of ascending values that is not above `value`, by its index; 0 where all are. */
export function lastAtMost<Item>(
  items: readonly Item[],
  valueOf: (item: Item) => number,
  value: number,
): number {
  let [low, high] = [0, items.length];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (valueOf(items[middle] as Item) <= value) low = middle;
    else high = middle;
  }
  return low;
}

/** Reused buffers for the content of responses: pages are large and many. */

export type BufferPool = ReturnType<typeof createBufferPool>;
export type PooledBuffer = ReturnType<BufferPool['acquire']>;

const INITIAL_BYTES = 256 * 1024;
/** A buffer that grew larger than this is not kept. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

/** Allocates as many buffers as are in use at once. */
export function createBufferPool() {
  const free: Buffer[] = [];
  return {
    /** A buffer that holds one response at a time. */
    acquire: () => {
      let memory = free.pop() ?? Buffer.allocUnsafeSlow(INITIAL_BYTES);
      let isLent = false;
      const giveBack = () => {
        if (memory.length <= MAX_KEPT_BYTES) free.push(memory);
      };
      return {
        /** Writes a chunk after the first `bytes` bytes; returns the new length. */
        append: (chunk: Buffer, bytes: number): number => {
          const needed = bytes + chunk.length;
          if (needed > memory.length) memory = enlarge(memory, bytes, needed);
          chunk.copy(memory, bytes);
          return needed;
        },
        /** The first `bytes` bytes: valid until `release`. */
        content: (bytes: number): Buffer => memory.subarray(0, bytes),
        /** The content stays valid beyond `release`, until the returned function is called, once. */
        lend: (): (() => void) => {
          isLent = true;
          return giveBack;
        },
        release: () => {
          if (!isLent) giveBack();
        },
      };
    },
  };
}

function enlarge(memory: Buffer, bytes: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, memory.length * 2));
  memory.copy(larger, 0, 0, bytes);
  return larger;
}

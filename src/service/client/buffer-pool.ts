/** Memory for the content of answers, used again from one answer to the next: pages are large, and many. */

/** Room for one answer at a time. */
export interface PooledBuffer {
  /** Puts a chunk behind the first `bytes` bytes; gives how many there are then. */
  append(chunk: Buffer, bytes: number): number;
  /** The first `bytes` bytes: good until the room is given back. */
  content(bytes: number): Buffer;
  giveBack(): void;
}

export interface BufferPool {
  take(): PooledBuffer;
}

const FIRST_BYTES = 256 * 1024;
/** A room that grew larger than this is not kept. */
const KEPT_BYTES = 4 * 1024 * 1024;

/** Creates as many rooms as are ever taken at once. */
export function createBufferPool(): BufferPool {
  const free: Buffer[] = [];
  return {
    take: () => {
      let memory = free.pop() ?? Buffer.allocUnsafeSlow(FIRST_BYTES);
      return {
        append: (chunk, bytes) => {
          const needed = bytes + chunk.length;
          if (needed > memory.length) memory = enlarged(memory, bytes, needed);
          chunk.copy(memory, bytes);
          return needed;
        },
        content: (bytes) => memory.subarray(0, bytes),
        giveBack: () => {
          if (memory.length <= KEPT_BYTES) free.push(memory);
        },
      };
    },
  };
}

function enlarged(memory: Buffer, bytes: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, memory.length * 2));
  memory.copy(larger, 0, 0, bytes);
  return larger;
}

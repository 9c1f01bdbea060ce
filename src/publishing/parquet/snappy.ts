/**
 * Snappy, the compression of most Parquet files: https://github.com/google/snappy/blob/main/format_description.txt. That of
 * hyparquet-writer took three times as long and left as much garbage as it wrote.
 */

/** Copies reach back within a block, so that their offset has 16 bits. */
const BLOCK_BYTES = 1 << 16;
/** No copy begins this near to the end of a block: four bytes can be read at once. */
const MARGIN_BYTES = 15;
const MOST_TABLE_BITS = 14;
/** A larger buffer is not kept. */
const KEPT_BYTES = 4 << 20;

/** Where four bytes with this hash were last seen, counted from the start of the block. */
const table = new Uint16Array(1 << MOST_TABLE_BITS);
let output = new Uint8Array(1 << 16);

/** The compressed bytes, valid until the next call. */
export function compressSnappy(input: Uint8Array): Uint8Array {
  const most = 32 + input.length + Math.ceil(input.length / 6);
  if (output.length < most || output.length > Math.max(KEPT_BYTES, most)) output = new Uint8Array(most);
  const words = new DataView(input.buffer, input.byteOffset, input.length);
  let at = writeLength(input.length);
  for (let start = 0; start < input.length; start += BLOCK_BYTES)
    at = compressBlock(input, words, start, Math.min(start + BLOCK_BYTES, input.length), at);
  return output.subarray(0, at);
}

function writeLength(length: number): number {
  let at = 0;
  let rest = length;
  for (; rest > 127; rest >>>= 7) output[at++] = (rest & 127) | 128;
  output[at++] = rest;
  return at;
}

/** Returns where the output ends. The longer it finds nothing, the larger are the steps in which it looks. */
function compressBlock(input: Uint8Array, words: DataView, start: number, end: number, from: number): number {
  const limit = end - MARGIN_BYTES;
  const shift = clearTable(end - start);
  let at = from;
  let written = start;
  let tries = 32;
  for (let position = start + 1; position <= limit;) {
    const word = words.getUint32(position, true);
    const slot = Math.imul(word, 0x1e35a7bd) >>> shift;
    const candidate = start + (table[slot] ?? 0);
    table[slot] = position - start;
    if (words.getUint32(candidate, true) !== word) {
      position += tries++ >> 5;
      continue;
    }
    at = writeLiteral(input, written, position, at);
    const length = 4 + countEqual(input, candidate + 4, position + 4, end);
    at = writeCopy(position - candidate, length, at);
    position += length;
    written = position;
    tries = 32;
    if (position > limit) break;
    table[Math.imul(words.getUint32(position - 1, true), 0x1e35a7bd) >>> shift] = position - 1 - start;
  }
  return writeLiteral(input, written, end, at);
}

/** For a block of so many bytes. Returns by how many bits hashes are shifted. */
function clearTable(bytes: number): number {
  const bits = Math.max(1, Math.min(MOST_TABLE_BITS, 31 - Math.clz32(bytes)));
  table.fill(0, 0, 1 << bits);
  return 32 - bits;
}

function countEqual(input: Uint8Array, earlier: number, later: number, end: number): number {
  let length = 0;
  while (later + length < end && input[earlier + length] === input[later + length]) length++;
  return length;
}

function writeLiteral(input: Uint8Array, start: number, end: number, from: number): number {
  let at = from;
  const length = end - start;
  if (length === 0) return at;
  if (length <= 60) output[at++] = (length - 1) << 2;
  else {
    output[at++] = length <= 256 ? 60 << 2 : 61 << 2;
    output[at++] = length - 1;
    if (length > 256) output[at++] = (length - 1) >> 8;
  }
  if (length > 32) output.set(input.subarray(start, end), at);
  else for (let index = 0; index < length; index++) output[at + index] = input[start + index] ?? 0;
  return at + length;
}

function writeCopy(offset: number, length: number, from: number): number {
  let at = from;
  let rest = length;
  for (; rest >= 68; rest -= 64) at = writeShortCopy(offset, 64, at);
  if (rest > 64) {
    at = writeShortCopy(offset, 60, at);
    rest -= 60;
  }
  return writeShortCopy(offset, rest, at);
}

/** Of 4 to 64 bytes. */
function writeShortCopy(offset: number, length: number, from: number): number {
  let at = from;
  if (length < 12 && offset < 2048) {
    output[at++] = 1 | ((length - 4) << 2) | ((offset >> 8) << 5);
    output[at++] = offset;
  } else {
    output[at++] = 2 | ((length - 1) << 2);
    output[at++] = offset;
    output[at++] = offset >> 8;
  }
  return at;
}

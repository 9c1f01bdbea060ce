/** Texts as PLAIN values of Parquet, one after the other: the length in bytes (32 bits), then UTF-8. */
import type { Bounds, PageEnd } from './column-values.ts';

/** A page ends with the text that takes it past this. */
const PAGE_BYTES = 1 << 20;
/** A larger buffer is not kept for the next row group. */
const KEPT_BYTES = 8 << 20;
/** Below it a loop is faster than a call of Node. */
const SHORT = 24;
/** Statistics are cut to 16 bytes. With one more, the writer sees that they are. */
const BOUND_BYTES = 17;

export function createPlainTexts() {
  let bytes = Buffer.allocUnsafeSlow(1024);
  let length = 0;

  const reserve = (more: number): void => {
    if (length + more <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, length + more));
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  };

  return {
    append: (text: string): void => {
      reserve(4 + text.length * 3);
      const written = writeText(bytes, length + 4, text);
      bytes.writeUInt32LE(written, length);
      length += 4 + written;
    },
    getBytes: (): Uint8Array => bytes.subarray(0, length),
    /** From the texts of a dictionary to those of all rows; `indexes` are their places. */
    expand: (indexes: Int32Array): void => {
      const dictionary = bytes.subarray(0, length);
      const ends = Uint32Array.from(listEnds(dictionary));
      bytes = Buffer.allocUnsafeSlow(bytes.length);
      length = 0;
      for (const index of indexes) {
        const start = index === 0 ? 0 : (ends[index - 1] ?? 0);
        const end = ends[index] ?? 0;
        reserve(end - start);
        dictionary.copy(bytes, length, start, end);
        length += end - start;
      }
    },
    findPages: () => findPages(bytes.subarray(0, length)),
    /** Of at least one text. */
    findBounds: () => findBounds(bytes.subarray(0, length)),
    clear: (): void => {
      length = 0;
      if (bytes.length > KEPT_BYTES) bytes = Buffer.allocUnsafeSlow(1024);
    },
  };
}

/** Writes UTF-8 where there is room for it. Returns its length in bytes. */
function writeText(bytes: Buffer, at: number, text: string): number {
  if (text.length > SHORT) return bytes.write(text, at);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 127) return bytes.write(text, at);
    bytes[at + index] = code;
  }
  return text.length;
}

function* listEnds(texts: Buffer): Iterable<number> {
  for (let at = 0; at < texts.length;) {
    at += 4 + texts.readUInt32LE(at);
    yield at;
  }
}

function findPages(texts: Buffer): PageEnd[] {
  const pages: PageEnd[] = [];
  let start = 0;
  let values = 0;
  for (const end of listEnds(texts)) {
    values++;
    if (end - start < PAGE_BYTES && end < texts.length) continue;
    pages.push({ values, bytes: end });
    start = end;
  }
  return pages.length > 0 ? pages : [{ values: 0, bytes: 0 }];
}

/** No text of 16 bytes comes after one that begins like this: it cannot be cut to an upper bound. */
const LAST = Buffer.from('\u{10ffff}'.repeat(4));

/** In the order of bytes, which is that of code points. Null if there is no short upper bound. */
function findBounds(texts: Buffer): Bounds | null {
  let least = 0;
  let greatest = 0;
  let start = 0;
  for (const end of listEnds(texts)) {
    if (compareTexts(texts, start, least) < 0) least = start;
    else if (compareTexts(texts, start, greatest) > 0) greatest = start;
    start = end;
  }
  const max_value = copyStart(texts, greatest);
  if (max_value.length === BOUND_BYTES && LAST.compare(max_value, 0, LAST.length) === 0) return null;
  return { min_value: copyStart(texts, least), max_value };
}

/** Compares the beginnings of the texts at two places. */
function compareTexts(texts: Buffer, one: number, other: number): number {
  const lengthOfOne = texts.readUInt32LE(one);
  const lengthOfOther = texts.readUInt32LE(other);
  const common = Math.min(lengthOfOne, lengthOfOther, BOUND_BYTES);
  for (let at = 4; at < common + 4; at++) {
    const difference = (texts[one + at] ?? 0) - (texts[other + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return common === BOUND_BYTES ? 0 : lengthOfOne - lengthOfOther;
}

const copyStart = (texts: Buffer, at: number): Uint8Array =>
  Uint8Array.prototype.slice.call(texts, at + 4, at + 4 + Math.min(texts.readUInt32LE(at), BOUND_BYTES));

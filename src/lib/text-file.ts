import { readFileSync } from 'node:fs';

/**
 * The text of a file, without a byte order mark. Throws what reading it throws, and an Error for a file that
 * is not UTF-8.
 */
export function readTextFile(path: string): string {
  const bytes = readFileSync(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error('it is not UTF-8: save it in that encoding', { cause });
  }
}

/** So much is written at once. */
const CHUNK_CHARACTERS = 2 ** 16;

/** Joins short texts to longer ones: each write costs a system call. */
export function* inChunks(lines: Iterable<string>): Iterable<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

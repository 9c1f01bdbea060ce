/**
 * Puts the temporary files of a run of tests into memory where the system has a folder there with enough room: a
 * commit waits 4 ms for a disk.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** What the tests leave there at the same time, and more. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/** Vitest calls it before the tests, and the function that it returns after them. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'vodhouse-tests-'));
  chmodSync(folder, 0o755); // for processes of another user
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > ENOUGH_BYTES;
}

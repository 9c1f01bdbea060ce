/** Installs the reader of Delta tables (test/delta-reader, 547 MB) before slow tests, once: it is no dependency of vodhouse. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns what deletes the folders that the reader leaves. */
export default function install(): () => void {
  const folder = join(import.meta.dirname, '../delta-reader');
  if (!existsSync(join(folder, 'node_modules/chdb')))
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent'], {
      cwd: folder,
      stdio: 'inherit',
    });
  const left = mkdtempSync(join(tmpdir(), 'vodhouse-delta-reader-'));
  process.env['DELTA_READER_TMPDIR'] = left;
  return () => rmSync(left, { recursive: true, force: true });
}

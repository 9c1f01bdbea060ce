/** Installs the reader of Delta tables (test/delta-reader, 547 MB) before slow tests, once: it is no dependency of vodhouse. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export default function install(): void {
  const folder = join(import.meta.dirname, '../delta-reader');
  if (existsSync(join(folder, 'node_modules/chdb'))) return;
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent'], { cwd: folder, stdio: 'inherit' });
}

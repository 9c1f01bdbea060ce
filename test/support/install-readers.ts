/** Installs other readers before slow tests, once: test/delta-reader (547 MB) and test/duckdb (70 MB) are no dependencies of vodhouse. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export default function install(): void {
  for (const reader of ['delta-reader', 'duckdb']) {
    const cwd = join(import.meta.dirname, '..', reader);
    if (existsSync(join(cwd, 'node_modules'))) continue;
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--silent'], {
      cwd,
      stdio: 'inherit',
    });
  }
}

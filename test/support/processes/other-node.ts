/** Another Node than the one that runs the tests, from npm's packages of its binaries. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The path of the newest Node of this major version. It is installed once a machine, into its folder of temporary files. */
export function installNode(major: number): string {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(tmpdir(), `vodhouse-node-${major}`);
  const binary = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(binary)) return binary;
  const draft = mkdtempSync(`${folder}-`);
  execFileSync('npm', ['install', '--prefix', draft, '--no-audit', '--no-fund', `${name}@${major}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    renameSync(draft, folder);
  } catch {
    rmSync(draft, { recursive: true }); // another test has installed it meanwhile
  }
  return binary;
}

/** The command, run by a user without write permission for files of the tests. */
import { execFileSync } from 'node:child_process';
import { cpSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NOBODY, run, type Child } from './child-process.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The result of the command; null where the user can read neither this checkout nor a copy of it. */
export async function runAsNobody(
  args: readonly string[],
  cwd: string,
): Promise<Awaited<Child['ended']> | null> {
  for (const place of [() => ROOT, copyOfCheckout]) {
    const bin = join(place(), 'bin/vodhouse.js');
    const { code } = await run([bin, '--version'], { cwd, ...NOBODY }).ended;
    if (code === 0) return run([bin, ...args], { cwd, ...NOBODY }).ended;
  }
  return null;
}

function copyOfCheckout(): string {
  const copy = temporaryFolder();
  for (const name of ['bin', 'dist', 'drizzle', 'package.json']) {
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  }
  execFileSync('chmod', ['-R', 'a+rX', copy]);
  symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(copy, 'node_modules'));
  return copy;
}

/** The unit of systemd, checked by systemd-analyze. Needs the Debian package systemd. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const run = promisify(execFile);

/** The unit with the command of this checkout: verify wants one that exists. */
function install(): string {
  const path = join(temporaryFolder(), 'vodhouse.service');
  const text = readFileSync('deploy/vodhouse.service', 'utf8');
  writeFileSync(path, text.replace('/usr/local/bin/vodhouse', resolve('bin/vodhouse.js')));
  return path;
}

describe.skipIf(!existsSync('/usr/bin/systemd-analyze'))('deploy/vodhouse.service', () => {
  it('is valid for systemd', async () => {
    expect(await run('systemd-analyze', ['verify', '--man=no', install()])).toEqual({
      stdout: '',
      stderr: '',
    });
  });

  it('exposes little: 2.0 at most', async () => {
    const args = ['security', '--offline=true', '--threshold=20', '--json=off', '--no-pager', install()];
    await run('systemd-analyze', args); // ends with 1 above the threshold
  });
});

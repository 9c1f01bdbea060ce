/** The units of systemd, checked by systemd-analyze. Needs the Debian package systemd. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/fixtures/temporary-folder.ts';

const UNITS = ['vodhouse.service', 'vodhouse@.service'] as const;
const run = promisify(execFile);

/** The unit, with the command of this checkout: verify wants one that exists. Returns the path of the (instantiated) unit. */
function install(unit: (typeof UNITS)[number], change = (text: string) => text): string {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const text = change(readFileSync(join('deploy', unit), 'utf8'));
  writeFileSync(join(folder, unit), text.replace('/usr/local/bin/vodhouse', resolve('bin/vodhouse.js')));
  return join(folder, unit.replace('@', '@north'));
}

async function verify(path: string): Promise<string> {
  const ended = run('systemd-analyze', ['verify', '--man=no', path]);
  const { stdout, stderr } = await ended.catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  return stdout + stderr;
}

/** The values of a key, in order. */
function readValues(unit: string, key: string): string[] {
  const lines = readFileSync(join('deploy', unit), 'utf8').split('\n');
  return lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
}

describe.skipIf(!existsSync('/usr/bin/systemd-analyze')).each(UNITS)('%s', (unit) => {
  it('is valid for systemd', async () => {
    expect(await verify(install(unit))).toBe('');
  });

  it('is not valid with a wrong key: the check works', async () => {
    const changed = install(unit, (text) => text.replace('WatchdogSec=', 'WatchdogSecs='));
    expect(await verify(changed)).toContain('WatchdogSecs');
  });

  it('exposes little: 2.0 at most', async () => {
    const args = ['security', '--offline=true', '--threshold=20', '--json=off', '--no-pager', install(unit)];
    const { stdout } = await run('systemd-analyze', args); // ends with 1 above the threshold
    expect(Number(/Overall exposure level.*: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThanOrEqual(2);
  });

  it('has an absolute path, a user, and does not restart what cannot start', () => {
    expect(readValues(unit, 'ExecStart')[0]).toMatch(
      /^\/usr\/local\/bin\/vodhouse start --config \/etc\/vodhouse\//,
    );
    expect(readValues(unit, 'ExecReload')).toEqual(['/bin/kill -HUP $MAINPID']);
    expect(readValues(unit, 'User')).toEqual(['vodhouse']);
    expect(readValues(unit, 'RestartPreventExitStatus')).toEqual(['2 75']);
    expect(readValues(unit, 'MemoryDenyWriteExecute')).toEqual([]); // V8 could not start
  });
});

/** deploy/vodhouse-run, with a systemd that is two scripts: one prints a unit, one runs a command with credentials of its own. */
import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../support/fixtures/folder-of-files.ts';

const SYSTEMCTL = `#!/bin/sh
[ -f "$UNITS/$2" ] && cat "$UNITS/$2" "$UNITS/edited"
`;
/** Gives the command its credential, takes $$ for a $, and writes what it was asked to. */
const SYSTEMD_RUN = `#!/bin/sh
printf '%s\\n' "$@" > "$UNITS/asked"
while [ "\${1#--}" != "$1" ]; do shift; done
export CREDENTIALS_DIRECTORY="$UNITS/credentials"
exec "$@"
`;

const CONFIG = `warehouse: data/vodhouse.db
timezone: Asia/Seoul
accounts:
  - name: main
    video_list: { base_url: https://videos.example.test, key: '\${file:\${CREDENTIALS_DIRECTORY}/key}' }
    packages: [101]
`;

function install() {
  const unit = (name: string) =>
    readFileSync(join('deploy', name), 'utf8')
      .replaceAll('/etc/vodhouse/', '$UNITS/')
      .replace('/usr/local/bin/vodhouse', resolve('bin/vodhouse.js'));
  const folder = createFolder({
    systemctl: SYSTEMCTL,
    'systemd-run': SYSTEMD_RUN,
    'vodhouse.service': unit('vodhouse.service'),
    'vodhouse-north.service': unit('vodhouse.service').replaceAll('vodhouse.yaml', 'north.yaml'),
    edited: '',
    'vodhouse.yaml': CONFIG,
    'north.yaml': CONFIG.replace('main', 'north'),
    'credentials/key': 'a-key\n',
  });
  for (const name of ['vodhouse.service', 'vodhouse-north.service']) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('$UNITS', folder));
  }
  for (const name of ['systemctl', 'systemd-run']) chmodSync(join(folder, name), 0o755);
  return folder;
}

function run(folder: string, args: string[], unit?: string) {
  const env = {
    ...process.env,
    ...(unit ? { UNIT: unit } : {}),
    UNITS: folder,
    PATH: `${folder}:${process.env['PATH']}`,
  };
  return new Promise<{ code: number; stdout: string; stderr: string; asked: string[] }>((done) => {
    const child = execFile('sh', ['deploy/vodhouse-run', ...args], { env }, (_, stdout, stderr) => {
      const asked = () => readFileSync(join(folder, 'asked'), 'utf8').trimEnd().split('\n');
      done({ code: child.exitCode ?? -1, stdout, stderr, asked: tryTo(asked) });
    });
  });
}

function tryTo(read: () => string[]): string[] {
  try {
    return read();
  } catch {
    return [];
  }
}

describe('vodhouse-run', () => {
  it('runs a command with the config and the credentials of the unit, and ends as it ends', async () => {
    const { code, stdout, stderr, asked } = await run(install(), ['plan']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('main');
    expect(asked).toContain('--property=User=vodhouse');
    expect(asked).toContain('--property=UMask=0077');
    expect(asked).toContain('--property=StateDirectory=vodhouse vodhouse/published');
    expect(asked.filter((word) => word.includes('LoadCredential'))).toHaveLength(1);
  });

  it('takes another unit, with all of `systemctl edit`', async () => {
    const folder = install();
    writeFileSync(join(folder, 'edited'), '[Service]\nLoadCredential=postgres:/etc/vodhouse/postgres\n');
    const { code, stdout, asked } = await run(folder, ['plan'], 'vodhouse-north');
    expect(code).toBe(0);
    expect(stdout).toContain('north');
    expect(asked).toContain('--property=LoadCredential=postgres:/etc/vodhouse/postgres');
    expect(asked).toContain('--property=WorkingDirectory=/var/lib/vodhouse');
  });

  it('passes words as they are, and a --config that was given', async () => {
    const { asked, code } = await run(install(), ['query', 'select  "$HOME"', '--config', 'other.yaml']);
    expect(code).toBe(2); // there is no other.yaml
    expect(asked.slice(-4)).toEqual(['query', 'select  "$$HOME"', '--config', 'other.yaml']);
  });

  it('says what it expects without a command, and where the unit is not there', async () => {
    const folder = install();
    expect(await run(folder, [])).toMatchObject({ code: 2, asked: [] });
    const { code, stderr } = await run(folder, ['status'], 'south');
    expect(code).toBe(2);
    expect(stderr).toBe('vodhouse-run: systemd has no unit south.service\n');
  });
});

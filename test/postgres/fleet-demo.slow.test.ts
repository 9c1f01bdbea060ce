import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { run } from '../support/processes/child-process.ts';
import { findPostgres } from '../support/servers/postgres.ts';

it.skipIf(findPostgres() === null)(
  'demo:fleet loads twelve accounts, shows a lease, and removes everything at Ctrl-C',
  async () => {
    const demo = run(['bench/fleet.js']);
    await demo.waitForOutput('12 accounts were loaded by 3 workers');
    await demo.waitForOutput('exit code 75: vodhouse: every account is held: ');
    demo.process.kill('SIGINT');
    const { code, stdout, stderr } = await demo.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [, folder = ''] = / in (\/\S+vodhouse-fleet-\w+)$/m.exec(stdout) ?? [];
    expect(folder).not.toBe('');
    expect(existsSync(folder)).toBe(false);
  },
);

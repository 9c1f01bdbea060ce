import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { leftOut } from '../support/report-slow-tests.ts';

it('npm test names the Debian packages of the tests that it leaves out, and CI installs those', () => {
  for (const name of ['libsqliteodbc', 'chromium', 'prometheus']) expect(leftOut()).toContain(name);
  expect(readFileSync('.ci/run', 'utf8')).toContain('test/*/debian-packages.txt');
});

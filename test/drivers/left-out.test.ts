import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { debianPackages, leftOut } from '../support/report-slow-tests.ts';

it('npm test lists the files it leaves out, and the Debian packages of the drivers', () => {
  const report = leftOut();
  const packages = (['drivers', 'browser', 'postgres', 'deploy', 'watching'] as const).flatMap(
    debianPackages,
  );
  expect(packages.length).toBeGreaterThan(10);
  for (const name of [...packages, 'worker-soak', 'npm run test:slow']) expect(report).toContain(name);
  expect(report).toMatch(/^ {2}6 read the published file through real drivers/m);
});

it('CI installs the packages of the same lists', () => {
  expect(readFileSync('.ci/run', 'utf8')).toContain('test/*/debian-packages.txt');
});

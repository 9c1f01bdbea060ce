import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findDeadLinks, listPages } from '../support/dead-links.ts';
import { leftOut } from '../support/report-slow-tests.ts';

it.each(listPages('.'))('the links of %s lead to pages and headings that exist', (page) => {
  expect(findDeadLinks('.', page)).toEqual([]);
});

const PACKAGE =
  /(?:from |import |import\(|createRequire\(import.meta.url\)\()'((?:@[\w-]+\/)?[a-z][\w-]*)(?:\/[^']*)?'/g;

it('of the source are in docs/contributing/dependencies.md, each with its reason', () => {
  const page = readFileSync('docs/contributing/dependencies.md', 'utf8');
  const named = [...page.matchAll(/^\| ((?!library|---)[^|]+?) +\|/gm)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const files = sources.map((name) => readFileSync(`src/${name}`, 'utf8'));
  const imported = files.flatMap((text) => [...text.matchAll(PACKAGE)].map(([, name]) => name));
  expect(named.toSorted()).toEqual([...new Set(imported)].sort());
});

it('npm test names the Debian packages of the tests that it leaves out, and CI installs those', () => {
  for (const name of ['libsqliteodbc', 'chromium', 'prometheus']) expect(leftOut()).toContain(name);
  expect(readFileSync('.ci/run', 'utf8')).toContain('test/*/debian-packages.txt');
});

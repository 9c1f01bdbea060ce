import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

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

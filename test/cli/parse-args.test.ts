import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePackageSelectors } from '../../src/cli/parse-args.ts';
import { createMatcher, formatSelector } from '../../src/sync/package-selector.ts';
import { resolveExportFile } from '../../src/cli/commands/export.ts';
import { createFolder } from '../support/fixtures/folder-of-files.ts';
import { liveFileWith } from '../support/fixtures/filled-live-file.ts';

/** Parses the arguments of `--package` as commander does. */
function parse(...args: string[]) {
  return args.reduce<ReturnType<typeof parsePackageSelectors> | undefined>(
    (earlier, arg) => parsePackageSelectors(arg, earlier),
    undefined,
  );
}

describe('the packages of a command line', () => {
  it('are ids, and ids of one account, mixed and comma separated', () => {
    expect(parse('101', 'main/102,103', '2nd_account-b/101')).toEqual([
      { account: null, packageId: 101 },
      { account: 'main', packageId: 102 },
      { account: null, packageId: 103 },
      { account: '2nd_account-b', packageId: 101 },
    ]);
  });

  it('parse back to the same values', () => {
    const account = fc.option(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]*$/));
    const list = fc.array(fc.record({ account, packageId: fc.nat() }), { minLength: 1 });
    fc.assert(
      fc.property(list, (packages) => {
        expect(parse(packages.map(formatSelector).join(','))).toEqual(packages);
      }),
    );
  });

  it.each(['', 'abc', '1,2,x', '1,', '1.5', '-1', '/101', 'main/', 'main/x', 'main/-1', 'a/b/1', 'main'])(
    'are rejected where they are neither: %j',
    (text) => {
      expect(() => parse(text)).toThrow('expected the ID of a package, or ACCOUNT/ID.');
    },
  );

  it('are rejected where an id is beyond the exact integers', () => {
    expect(() => parse('9007199254740993')).toThrow('expected the ID of a package');
    expect(() => parse('main/9007199254740993')).toThrow('expected the ID of a package');
  });
});

describe('a package', () => {
  it.each([
    ['101', true],
    ['main/101', true],
    ['102,main/101', true],
    ['other/101', false],
    ['main/102,other/101', false],
  ])('of the account main with the id 101 is selected by %s: %s', (text, is) => {
    expect(createMatcher(parse(text) ?? [])({ account: 'main', packageId: 101 })).toBe(is);
  });
});

describe('the file of an export', () => {
  it('is never one that vodhouse needs', () => {
    const live = liveFileWith();
    const folder = createFolder({ 'vodhouse.yaml': '', '.env': 'KEY=x', 'data.csv': 'earlier' });
    const at = (name: string) => join(folder, name);
    const resolve = (out: string) => resolveExportFile(out, at('vodhouse.yaml'));
    symlinkSync(live, at('link.csv'));
    mkdirSync(at('folder'));
    for (const name of [live, ...['link.csv', 'folder', 'vodhouse.yaml', '.env', 'vodhouse.db-wal'].map(at)])
      expect(() => resolve(name), name).toThrow('an export does not replace it');
    for (const name of ['data.csv', 'new.parquet', 'none/new.csv']) expect(resolve(at(name))).toBe(at(name));
    writeFileSync(at('data.csv'), 'text, and no database');
    expect(resolve(at('data.csv'))).toBe(at('data.csv'));
    expect(readFileSync(at('vodhouse.yaml'), 'utf8')).toBe('');
  });
});

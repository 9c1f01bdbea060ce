import { describe, expect, it } from 'vitest';
import { assertMayRetire, findLeaving, leavingLines } from '../../src/app/leaving.ts';
import type { Config } from '../../src/config/config.ts';
import { ConfigError } from '../../src/lib/errors.ts';

const active = (account: string, ...ids: number[]) =>
  ids.map((packageId) => ({ account, packageId, name: packageId === 1 ? 'First' : null, videos: 4997 }));

/** Accounts as `name` or `name was`, with the ids of their packages. */
function config(accounts: Record<string, number[]>, removalBrake = 0.2): Pick<Config, 'accounts' | 'walk'> {
  return {
    accounts: Object.entries(accounts).map(([names, ids]) => {
      const [name, was = null] = names.split(' ');
      return { name, was, packages: ids.map((id) => ({ id, name: null })) };
    }),
    walk: { removalBrake },
  } as unknown as Pick<Config, 'accounts' | 'walk'>;
}

const TWENTY = Array.from({ length: 20 }, (_, index) => index + 1);

const CASES: [string, ReturnType<typeof active>, Record<string, number[]>, number, string | null][] = [
  ['nothing', active('main', 1, 2), { main: [1, 2, 3] }, 0, null],
  ['one of two', active('main', 1, 2), { main: [2] }, 1, null],
  ['three of four', active('main', 1, 2, 3, 4), { main: [4] }, 3, null],
  ['four of twenty', active('main', ...TWENTY), { main: TWENTY.slice(4) }, 4, null],
  ['five of twenty', active('main', ...TWENTY), { main: TWENTY.slice(5) }, 5, '5 of 20 packages of main'],
  [
    'a few of each account',
    ['a', 'b', 'c'].flatMap((name) => active(name, 1, 2, 3, 4)),
    { a: [1, 2], b: [1, 2], c: [1, 2] },
    6,
    '6 of 12 packages',
  ],
  [
    'most of a small account',
    [...active('small', 1, 2, 3, 4, 5, 6), ...active('main', ...TWENTY)],
    { small: [1, 2], main: TWENTY },
    4,
    '4 of 6 packages of small',
  ],
  ['the only package', active('main', 1), { main: [2] }, 1, 'all packages of main'],
  ['packages: []', active('main', 1, 2), { main: [] }, 2, 'all packages of main'],
  ['an account', [...active('main', 1), ...active('old', 2)], { main: [1] }, 1, 'the account old'],
  ['two accounts', [...active('a', 1), ...active('b', 2)], { c: [3] }, 2, 'the account a, the account b'],
  ['a renamed account', active('main', 1, 2), { 'news main': [1, 2] }, 0, null],
  ['a package of a renamed account', active('main', 1, 2), { 'news main': [1] }, 1, null],
  ['a first run', [], { main: [1] }, 0, null],
];

describe('findLeaving', () => {
  it.each(CASES)('of %s', (_what, packages, accounts, count, doubt) => {
    const leaving = findLeaving(packages, config(accounts));
    expect([leaving.packages.length, leaving.doubt]).toEqual([count, doubt]);
    if (doubt === null) expect(() => assertMayRetire(leaving, (text) => text)).not.toThrow();
    else expect(() => assertMayRetire(leaving, (text) => text)).toThrow(ConfigError);
  });
});

it('names each package that leaves, and counts the rest', () => {
  expect(leavingLines(findLeaving(active('main', 1, 2), config({ main: [2] })))).toEqual([
    'left the config: main/1 First, 4,997 videos',
  ]);
  const lines = leavingLines(findLeaving(active('main', ...TWENTY), config({ main: [] })));
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe('left the config: 10 more packages');
});

it.each([
  ['an account that the config has', active('main', 1), { main: [2] }, false],
  ['an account that it has not', active('main', 1), { other: [1] }, true],
  ['an account that was renamed already', active('main', 1, 2, 3, 4, 5), { 'news main': [1] }, false],
])('names `was` only where it helps: %s', (_what, packages, accounts, isNamed) => {
  const refuse = () => assertMayRetire(findLeaving(packages, config(accounts)), (text) => text);
  const hint = expect.stringContaining('`was: main`') as string;
  expect(refuse).toThrow(
    expect.objectContaining({
      hint: isNamed ? hint : (expect.not.stringContaining('was:') as string),
    }) as Error,
  );
});

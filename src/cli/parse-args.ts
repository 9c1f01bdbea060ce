/** Parsers and choices of option values. Each parser throws InvalidArgumentError. */
import { InvalidArgumentError } from 'commander';
import { isDay } from '../lib/days.ts';
import type { ForgetTarget } from '../warehouse/accounts.ts';
import type { PackageSelector } from '../sync/package-selector.ts';

/** The formats of an export; each is also the ending of its files. */
export const EXPORT_FORMATS = ['parquet', 'csv', 'ndjson'] as const;

/** The options of `publish` that concern targets. `--file-only` excludes them. */
export const TARGET_OPTIONS = ['target', 'verify', 'rebuild', 'takeOver', 'printSql'] as const;

/** An integer from 0 up. */
export const parseInteger = (text: string): number => parseNumber(text, 0, 'a whole number from 0 up');

/** An integer from 1 up. */
export const parsePositiveInt = (text: string): number => parseNumber(text, 1, 'a whole number from 1 up');

/** The number of a walk: `walk:258`, or `258`. */
export const parseWalk = (text: string): number =>
  parseNumber(text.replace(/^walk:/, ''), 1, 'a walk that status names, such as walk:258');

function parseNumber(text: string, least: number, expected: string): number {
  if (isInteger(text) && Number(text) >= least) return Number(text);
  throw new InvalidArgumentError(`expected ${expected}.`);
}

/** Packages, such as `101,main/102`. They are added to those of earlier arguments of the same option. */
export function parsePackageSelectors(
  text: string,
  earlier: PackageSelector[] | undefined,
): PackageSelector[] {
  return [...(earlier ?? []), ...text.split(',').map(parsePackageSelector)];
}

function parsePackageSelector(text: string): PackageSelector {
  const [, account = null, id = ''] = /^(?:([^/]+)\/)?(\d+)$/.exec(text) ?? [];
  if (isInteger(id)) return { account, packageId: Number(id) };
  throw new InvalidArgumentError('expected the ID of a package, or ACCOUNT/ID.');
}

/** An account, or one of its packages: `ACCOUNT` or `ACCOUNT/ID`. */
export function parseForgetTarget(text: string): ForgetTarget {
  const [, account = '', id] = /^([^/]+)(?:\/(\d+))?$/.exec(text) ?? [];
  if (account !== '' && (id === undefined || isInteger(id)))
    return { account, packageId: id === undefined ? null : Number(id) };
  throw new InvalidArgumentError('expected ACCOUNT or ACCOUNT/ID.');
}

/** A day, `yyyy-mm-dd`. */
export function parseDay(text: string): string {
  if (isDay(text)) return text;
  throw new InvalidArgumentError('expected a day, such as 2026-03-09.');
}

function isInteger(text: string): boolean {
  return /^\d+$/.test(text) && Number.isSafeInteger(Number(text));
}

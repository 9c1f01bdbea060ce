/** Parsers of option values. Each throws InvalidArgumentError. */
import { InvalidArgumentError } from 'commander';
import { isDay } from '../lib/days.ts';
import type { ForgetTarget } from '../warehouse/accounts.ts';
import type { PackageSelector } from '../sync/package-selector.ts';

/** An integer from 1 up. */
export function parsePositiveInt(text: string): number {
  if (isInteger(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('expected a whole number from 1 up.');
}

/** The number of a walk: `walk:258`, or `258`. */
export function parseWalk(text: string): number {
  const number = text.replace(/^walk:/, '');
  if (isInteger(number) && Number(number) > 0) return Number(number);
  throw new InvalidArgumentError('expected a walk that status names, such as walk:258.');
}

/** An integer from 0 up. */
export function parseInteger(text: string): number {
  if (isInteger(text)) return Number(text);
  throw new InvalidArgumentError('expected a whole number from 0 up.');
}

/** `101 main/102` or `101,main/102`; appended to the selectors of earlier arguments. */
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

/** What the words of a command line stand for. Each throws InvalidArgumentError where they stand for nothing. */
import { InvalidArgumentError } from 'commander';
import { isDay } from '../lib/days.ts';
import type { PackageSelector } from '../sync/package-selector.ts';

/** From 1 up. */
export function parsePositiveInt(text: string): number {
  if (isWhole(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('expected a whole number from 1 up.');
}

export function parseInteger(text: string): number {
  if (isWhole(text)) return Number(text);
  throw new InvalidArgumentError('expected a whole number.');
}

/** `101 main/102` and `101,main/102`, after those of the words before. */
export function parsePackageSelectors(
  text: string,
  earlier: PackageSelector[] | undefined,
): PackageSelector[] {
  return [...(earlier ?? []), ...text.split(',').map(askedPackage)];
}

function askedPackage(text: string): PackageSelector {
  const [, account = null, id = ''] = /^(?:([^/]+)\/)?(\d+)$/.exec(text) ?? [];
  if (isWhole(id)) return { account, packageId: Number(id) };
  throw new InvalidArgumentError('expected a whole number, or ACCOUNT/ID.');
}

/** A day, `yyyy-mm-dd`. */
export function parseDay(text: string): string {
  if (isDay(text)) return text;
  throw new InvalidArgumentError('expected a day, such as 2026-03-09.');
}

function isWhole(text: string): boolean {
  return /^\d+$/.test(text) && Number.isSafeInteger(Number(text));
}

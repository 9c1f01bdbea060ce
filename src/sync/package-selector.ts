/** The packages that `--package` selects. */
import type { PackageKey } from './package-key.ts';

export interface PackageSelector {
  /** Null: every account that has the package. */
  account: string | null;
  packageId: number;
}

/**
 * The returned function checks whether one of the selectors selects a package. Made once for all packages:
 * both may be ten thousand.
 */
export function createMatcher(selectors: readonly PackageSelector[]): (key: PackageKey) => boolean {
  const selected = new Set(selectors.map(formatSelector));
  return (key) => selected.has(String(key.packageId)) || selected.has(formatSelector(key));
}

/** Formats a selector as it is typed: `101`, or `main/101`. */
export function formatSelector({ account, packageId }: PackageSelector): string {
  return account === null ? String(packageId) : `${account}/${packageId}`;
}

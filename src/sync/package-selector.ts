/** The packages that `--package` selects. */
import type { PackageKey } from '../lib/package-key.ts';

export interface PackageSelector {
  /** Null: every account that has the package. */
  account: string | null;
  packageId: number;
}

export function matchesAny(key: PackageKey, selectors: readonly PackageSelector[]): boolean {
  return selectors.some(
    ({ account, packageId }) => packageId === key.packageId && (account === null || account === key.account),
  );
}

/** Formats a selector as it is typed: `101`, or `main/101`. */
export function formatSelector({ account, packageId }: PackageSelector): string {
  return account === null ? String(packageId) : `${account}/${packageId}`;
}

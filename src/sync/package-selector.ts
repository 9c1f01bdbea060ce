import type { PackageKey } from '../lib/package-key.ts';

/** In this account; null: in every account that has the number. */
export interface PackageSelector {
  account: string | null;
  packageId: number;
}

export function matchesAny({ account, packageId }: PackageKey, asked: readonly PackageSelector[]): boolean {
  return asked.some(
    (each) => each.packageId === packageId && (each.account === null || each.account === account),
  );
}

/** As it was asked for: `101`, or `main/101`. */
export function formatSelector({ account, packageId }: PackageSelector): string {
  return account === null ? String(packageId) : `${account}/${packageId}`;
}

import type { PackageKey } from '../lib/package-key.ts';

/** In this account; null: in every account that has the number. */
export interface AskedPackage {
  account: string | null;
  packageId: number;
}

export function isAsked({ account, packageId }: PackageKey, asked: readonly AskedPackage[]): boolean {
  return asked.some(
    (each) => each.packageId === packageId && (each.account === null || each.account === account),
  );
}

/** As it was asked for: `101`, or `main/101`. */
export function askedWords({ account, packageId }: AskedPackage): string {
  return account === null ? String(packageId) : `${account}/${packageId}`;
}

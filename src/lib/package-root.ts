/** Where this package is, and its version. */
import { existsSync, readFileSync } from 'node:fs';

/** The folder of this package, for the sources and for the bundle: where package.json is. */
export const PACKAGE_ROOT = findPackageRoot(new URL('.', import.meta.url));

/** True where vodhouse runs from its sources, by `npx`; false where it is installed. */
export function isCheckout(): boolean {
  return existsSync(new URL('src', PACKAGE_ROOT));
}

function findPackageRoot(folder: URL): URL {
  return existsSync(new URL('package.json', folder)) ? folder : findPackageRoot(new URL('..', folder));
}

/** The version in package.json. */
export function version(): string {
  const file = new URL('package.json', PACKAGE_ROOT);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

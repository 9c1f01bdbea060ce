import { readFileSync } from 'node:fs';
import { PACKAGE_ROOT } from './package-root.ts';

/** The version of vodhouse, as its package says. */
export function version(): string {
  const file = new URL('package.json', PACKAGE_ROOT);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** `npm pack` runs it (`postpack`): makes the checkout what it was. npm would take `npm-shrinkwrap.json` for its lock file. */
import { existsSync, renameSync, rmSync } from 'node:fs';

/** The `package.json` of the checkout while `npm pack` runs. */
export const CHECKOUT_MANIFEST = 'package.checkout.json';

/** Deletes `npm-shrinkwrap.json`, and puts the `package.json` of the checkout back. */
export function undo() {
  rmSync('npm-shrinkwrap.json', { force: true });
  if (existsSync(CHECKOUT_MANIFEST)) renameSync(CHECKOUT_MANIFEST, 'package.json');
}

if (import.meta.filename === process.argv[1]) undo();

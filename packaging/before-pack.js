/**
 * `npm pack` runs it (`prepack`). It writes `npm-shrinkwrap.json`, the versions that users install, and takes out of
 * `package.json` what is for a checkout only: npm would warn users of the script `prepare`.
 * `after-pack.js` undoes both.
 */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { CHECKOUT_MANIFEST, undo } from './after-pack.js';

const FOR_THE_CHECKOUT = ['allowScripts', 'devDependencies', 'overrides'];
const FOR_THE_LOCK = ['devDependencies', 'optionalDependencies', 'resolved'];

/** A checkout also runs on Node 20. */
const PACKAGE_ENGINES = { node: '>=22' };

if (existsSync(CHECKOUT_MANIFEST)) undo(); // an earlier one was killed
const manifest = readJson('package.json');
const lock = readJson('package-lock.json');
copyFileSync('package.json', CHECKOUT_MANIFEST);
writeJson('package.json', {
  ...without(manifest, FOR_THE_CHECKOUT),
  engines: PACKAGE_ENGINES,
  scripts: { postpack: manifest.scripts.postpack },
});
writeJson('npm-shrinkwrap.json', { ...lock, packages: shrink(lock.packages) });

/** The packages of the lock file that users install, without addresses of a registry. */
function shrink(packages) {
  const installed = Object.entries(packages).filter(
    ([, { dev, optional, devOptional }]) => !(dev || optional || devOptional),
  );
  return Object.fromEntries(
    installed.map(([path, entry]) => [
      path,
      path === ''
        ? { ...without(entry, FOR_THE_LOCK), engines: PACKAGE_ENGINES }
        : without(entry, FOR_THE_LOCK),
    ]),
  );
}

function without(entry, keys) {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)));
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function writeJson(file, content) {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

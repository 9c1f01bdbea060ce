/** Prints the omitted tests and their requirements at the end of `npm test`. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const SLOW = /\.(?:slow|property)\.test\.ts$/;
const PACKAGES = 'debian-packages.txt';

/** How many slow tests there are, and the Debian packages that those of some folders need. */
export function leftOut(): string {
  const paths = readdirSync('test', { recursive: true, encoding: 'utf8' });
  const slow = paths.filter((path) => SLOW.test(path));
  const needs = paths
    .filter((path) => path.endsWith(PACKAGES))
    .map((path) => {
      const lines = readFileSync(`test/${path}`, 'utf8').trim().split('\n');
      const packages = new Set(lines.map((line) => line.split(' ')[1]));
      return `  test/${dirname(path)}: ${[...packages].join(' ')}\n`;
    });
  return (
    `\nLeft out, because they are slow or need more than Node: ${slow.length} files. npm run test:slow runs them. ` +
    `The Debian packages of some:\n${needs.join('')}`
  );
}

/** Vitest calls it before the tests, and the function that it returns after them. */
export default function setup(): () => void {
  return () => void process.stderr.write(leftOut());
}

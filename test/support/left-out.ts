/** At the end of `npm test`: which tests it left out, and what they need. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('../', import.meta.url));
const SLOW = '.slow.test.ts';

/** The Debian packages that the tests of the drivers need. */
export function debianPackages(): string[] {
  const lines = readFileSync(new URL('../drivers/debian-packages.txt', import.meta.url), 'utf8').trim();
  return lines.split('\n').map((line) => line.split(' ')[1] ?? '');
}

/** What is told: the tests with drivers, and the other slow ones. */
export function leftOut(): string {
  const slow = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith(SLOW),
  );
  const isOfDrivers = (path: string) => dirname(path) === 'drivers';
  const others = slow.filter((path) => !isOfDrivers(path)).map((path) => path.slice(0, -SLOW.length));
  return [
    '',
    `Left out, because they are slow or need more than Node: ${slow.length} files. npm run test:all runs them.`,
    `  ${slow.filter(isOfDrivers).length} read the published file through real drivers: SQLite ODBC, xerial JDBC, SQLAlchemy and pandas,`,
    `    the sqlite3 shell. Debian packages: ${debianPackages().join(' ')}`,
    `  ${others.length} others: ${others.sort().join(', ')}`,
    '',
  ].join('\n');
}

/** Vitest calls it before the tests, and what it gives after them. */
export default function setup(): () => void {
  return () => void process.stderr.write(leftOut());
}

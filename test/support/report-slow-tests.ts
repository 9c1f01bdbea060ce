/** Prints the omitted tests and their requirements at the end of `npm test`. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('../', import.meta.url));
const SLOW = '.slow.test.ts';

/** The Debian packages that the tests of a folder need. */
export function debianPackages(folder: 'drivers' | 'browser' | 'postgres' | 'deploy' | 'watching'): string[] {
  const lines = readFileSync(new URL(`../${folder}/debian-packages.txt`, import.meta.url), 'utf8').trim();
  return lines.split('\n').map((line) => line.split(' ')[1] ?? '');
}

/** The report: the tests with drivers, those in a browser, those with PostgreSQL, of the deployment, with Prometheus, and the other slow ones. */
export function leftOut(): string {
  const slow = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith(SLOW),
  );
  const isIn = (folder: string) => (path: string) => dirname(path) === folder;
  const [drivers, browser] = [slow.filter(isIn('drivers')), slow.filter(isIn('browser'))];
  const postgres = slow.filter(isIn('postgres'));
  const deploy = slow.filter(isIn('deploy'));
  const watching = slow.filter(isIn('watching'));
  const listed = [...drivers, ...browser, ...postgres, ...deploy, ...watching];
  const rest = slow.filter((path) => !listed.includes(path));
  const others = rest.map((path) => path.slice(0, -SLOW.length));
  return [
    '',
    `Left out, because they are slow or need more than Node: ${slow.length} files. npm run test:slow runs them.`,
    `  ${drivers.length} read the published file through real drivers: SQLite ODBC, xerial JDBC, SQLAlchemy and pandas,`,
    `    the sqlite3 shell. Debian packages: ${debianPackages('drivers').join(' ')}`,
    `  ${browser.length} open the pages in a real browser. Debian package: ${debianPackages('browser').join(' ')}`,
    `  ${postgres.length} start a PostgreSQL server. Debian packages: ${debianPackages('postgres').join(' ')}`,
    `  ${deploy.length} check the units of systemd, the image and the manifests of Kubernetes. Debian packages: ${[...new Set(debianPackages('deploy'))].join(' ')}`,
    `  ${watching.length} read the metrics with Prometheus. Debian package: ${[...new Set(debianPackages('watching'))].join(' ')}`,
    `  ${others.length} others: ${others.sort().join(', ')}`,
    '',
  ].join('\n');
}

/** Vitest calls it before the tests, and the function that it returns after them. */
export default function setup(): () => void {
  return () => void process.stderr.write(leftOut());
}

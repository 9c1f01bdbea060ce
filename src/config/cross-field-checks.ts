import { normalize } from 'node:path';
import { readCertificates } from './certificates.ts';
import { DEFAULT_FILES } from './config.ts';
import type { Problem } from './problems.ts';
import { createCalendar } from '../lib/calendar.ts';
import { isDay } from '../lib/days.ts';
import { isLoopback } from '../lib/loopback.ts';
import type { Path, SourceMap } from './source-map.ts';

/** A problem whose line is that of its path. */
type Found = Omit<Problem, 'line'>;

/** What the values of a config are checked against. */
interface Surroundings {
  /** Milliseconds since 1970. */
  now: number;
  /** A path of the file as an absolute one. */
  toAbsolute: (path: string) => string;
}

/**
 * Problems between several values, and with other files. Takes the file as it is written, valid or not, so that these
 * problems are reported together with those of the schema.
 */
export function findCrossFieldProblems(
  settings: unknown,
  sourceMap: SourceMap,
  surroundings: Surroundings,
): Problem[] {
  const found = checkAll(settings, sourceMap, surroundings);
  return found.map((problem) => ({ line: sourceMap.lineOf(problem.path), ...problem }));
}

function checkAll(settings: unknown, sourceMap: SourceMap, { now, toAbsolute }: Surroundings): Found[] {
  const accounts = listAt(settings, 'accounts');
  return [
    ...findRepeated(accounts, (account) => textAt(account, 'name')).map(({ index, first }) => {
      const path = ['accounts', index, 'name'];
      const name = sourceMap.displayValue(path);
      return { path, message: `${name} is the name of accounts[${first}] too; expected another` };
    }),
    ...checkFormerNames(accounts, sourceMap),
    ...accounts.flatMap((account, index) => checkAccount(account, ['accounts', index], sourceMap)),
    ...accounts.flatMap((account, index) => {
      const path = ['accounts', index, 'storage', 'since'];
      return checkSince(at(at(account, 'storage'), 'since'), textAt(settings, 'timezone'), path, now);
    }),
    ...accounts.flatMap((account, index) => {
      const path = ['accounts', index, 'ca'];
      return checkAuthority(textAt(account, 'ca'), path, sourceMap, toAbsolute);
    }),
    ...checkFiles(settings),
    ...listAt(at(settings, 'publish'), 'targets').flatMap((target, index) => {
      const path = ['publish', 'targets', index, 'ca'];
      return checkAuthority(textAt(target, 'ca'), path, sourceMap, toAbsolute);
    }),
    ...checkServer(settings, sourceMap),
  ];
}

/** A former name that is still in use, or that two accounts had. */
function checkFormerNames(accounts: readonly unknown[], sourceMap: SourceMap): Found[] {
  const names = accounts.map((account) => textAt(account, 'name'));
  const former = accounts.map((account) => textAt(account, 'was'));
  return former.flatMap((was, index) => {
    if (was === undefined) return [];
    const path = ['accounts', index, 'was'];
    const user = names.indexOf(was);
    if (user >= 0) {
      const message = `${sourceMap.displayValue(path)} is the name of accounts[${user}]; expected a name that is no longer used`;
      return [{ path, message }];
    }
    const first = former.indexOf(was);
    const message = `${sourceMap.displayValue(path)} is accounts[${first}].was too; expected one account`;
    return first < index ? [{ path, message }] : [];
  });
}

function checkAccount(account: unknown, path: Path, sourceMap: SourceMap): Found[] {
  const packages = listAt(account, 'packages');
  const twice = findRepeated(packages, (entry) => (typeof entry === 'object' ? at(entry, 'id') : entry));
  const problems = twice.map(({ index, first }) => {
    const id = typeof packages[index] === 'object' ? ['id'] : [];
    const entry = [...path, 'packages', index, ...id];
    const value = sourceMap.displayValue(entry);
    return { path: entry, message: `${value} is packages[${first}] too; expected each package once` };
  });
  const isIdle = at(account, 'storage') === undefined && packages.length === 0 && isListOrNone(account);
  const problem = { path, message: 'has nothing to fetch; expected at least one of packages, storage' };
  return isIdle ? [...problems, problem] : problems;
}

function checkSince(since: unknown, timezone: string | undefined, path: Path, now: number): Found[] {
  if (typeof since !== 'string' || !isDay(since) || timezone === undefined) return [];
  const today = dayIn(timezone, now);
  if (today === null || since <= today) return [];
  const expected = `a day up to today, ${today} in ${timezone} by this machine's clock`;
  return [{ path, message: `${since} is in the future; expected ${expected}` }];
}

/** Null if there is no such time zone. */
function dayIn(timezone: string, now: number): string | null {
  try {
    return createCalendar(timezone).dayAt(now);
  } catch {
    return null;
  }
}

function isListOrNone(account: unknown): boolean {
  const packages = at(account, 'packages');
  return typeof account === 'object' && (packages === undefined || Array.isArray(packages));
}

function checkFiles(settings: unknown): Found[] {
  const publish = at(settings, 'publish');
  if (publish === undefined) return [];
  const live = textAt(settings, 'warehouse') ?? DEFAULT_FILES.warehouse;
  const published = textAt(publish, 'file') ?? DEFAULT_FILES.publish;
  const path = ['publish', 'file'];
  if (normalize(live) === normalize(published))
    return [{ path, message: 'is the warehouse itself; expected another file' }];
  // names of files of SQLite, of lock files, and of files that a restore keeps
  const isReserved = ['-', '.'].some((sign) => normalize(published).startsWith(normalize(live) + sign));
  const message = "begins with the warehouse's name, as the names of its own files do; expected another name";
  return isReserved ? [{ path, message }] : [];
}

/** Without keys the server lets in every client that reaches it. */
function checkServer(settings: unknown, sourceMap: SourceMap): Found[] {
  const server = at(settings, 'server');
  const host = textAt(server, 'host');
  if (host === undefined || isLoopback(host) || listAt(server, 'keys').length > 0) return [];
  const path = ['server', 'host'];
  const message = `${sourceMap.displayValue(path)} can be reached from other machines; expected 127.0.0.1, or a key in server.keys`;
  return [{ path, message }];
}

/** What is wrong with the file of a `ca`; none where there is none. */
function checkAuthority(
  file: string | undefined,
  path: Path,
  sourceMap: SourceMap,
  toAbsolute: Surroundings['toAbsolute'],
): Found[] {
  if (file === undefined || file.trim() === '') return [];
  const read = readCertificates(toAbsolute(file));
  return 'problem' in read ? [{ path, message: `${sourceMap.displayValue(path)} ${read.problem}` }] : [];
}

/** The value of a key; undefined where there is none, or no mapping. */
function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** The list of a key; empty where there is none. */
function listAt(value: unknown, key: string): readonly unknown[] {
  const list = at(value, key);
  return Array.isArray(list) ? list : [];
}

/** The text of a key; undefined where there is none. */
function textAt(value: unknown, key: string): string | undefined {
  const text = at(value, key);
  return typeof text === 'string' ? text : undefined;
}

/** The entries that repeat the value of an earlier one, with the index of that one. */
function findRepeated(list: readonly unknown[], getValue: (entry: unknown) => unknown) {
  const firsts = new Map<unknown, number>();
  return list.flatMap((entry, index) => {
    const value = getValue(entry);
    const first = firsts.get(value);
    if (value === undefined || value === null) return [];
    if (first === undefined) firsts.set(value, index);
    return first === undefined ? [] : [{ index, first }];
  });
}

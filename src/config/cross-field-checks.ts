/** Problems between several values of a config, and with the files that it names. */
import { normalize } from 'node:path';
import { isLoopback } from '../lib/loopback.ts';
import { readCertificates } from './certificates.ts';
import { DEFAULT_FILES } from './config.ts';
import { readPackagesFile } from './packages-file.ts';
import type { Path, Problem, Source } from './source.ts';

type Report = (path: Path, message: string) => void;

/** Returns a path of the file as an absolute one. */
export type ToAbsolute = (path: string) => string;

/**
 * Takes the file as it is written, valid or not, so that these problems are reported together with those of
 * the schema. `areFilesRead`: also those of the CSV files of packages.
 */
export function findCrossFieldProblems(
  source: Source,
  toAbsolute: ToAbsolute,
  areFilesRead: boolean,
): Problem[] {
  const problems: Problem[] = [];
  const report: Report = (path, message) => problems.push({ line: source.lineOf(path), path, message });
  const settings = source.value;
  const accounts = listAt(settings, 'accounts');
  checkNames(accounts, ['accounts'], source, report);
  checkKeys(accounts, report);
  for (const [index, account] of accounts.entries()) {
    const path = ['accounts', index];
    checkPackages(account, path, source, report);
    checkAuthority(account, path, source, toAbsolute, report);
    const file = textAt(at(account, 'packages'), 'file') ?? '';
    const read = areFilesRead && file !== '' ? readPackagesFile(toAbsolute(file), source.secrets) : null;
    for (const problem of read && 'problems' in read ? read.problems : [])
      report([...path, 'packages', 'file'], problem);
  }
  const targets = listAt(at(settings, 'publish'), 'targets');
  checkNames(targets, ['publish', 'targets'], source, report);
  for (const [index, target] of targets.entries())
    checkAuthority(target, ['publish', 'targets', index], source, toAbsolute, report);
  checkFiles(settings, report);
  checkServer(at(settings, 'server'), source, report);
  return problems;
}

/** Each account and target has its own `name`, and its own `was`. */
function checkNames(entries: readonly unknown[], path: Path, { display }: Source, report: Report): void {
  const names = entries.map((each) => textAt(each, 'name'));
  const former = entries.map((each) => textAt(each, 'was'));
  for (const index of entries.keys()) {
    const [name, was] = [names[index], former[index]];
    const reportKey = (key: string, expected: string) => {
      const own = [...path, index, key];
      report(own, `${display(own)} is taken by another one; expected ${expected}`);
    };
    if (name !== undefined && names.indexOf(name) < index) reportKey('name', 'another name');
    if (was !== undefined && (names.includes(was) || former.indexOf(was) < index))
      reportKey('was', 'a name that is no longer used');
  }
}

/** The service counts requests by key: two accounts with one key would send twice what its limits allow. */
function checkKeys(accounts: readonly unknown[], report: Report): void {
  const lists = accounts.map((account) => at(account, 'video_list'));
  const keys = lists.map((list) => [textAt(list, 'base_url'), textAt(list, 'key')].join(' '));
  for (const [index, list] of lists.entries()) {
    const first = keys.indexOf(keys[index] ?? '');
    if (first === index || !textAt(list, 'key')) continue;
    const message = `is that of accounts[${first}] too; expected one account for a key, with all its packages`;
    report(['accounts', index, 'video_list', 'key'], message);
  }
}

/** Without a key, only this machine may have access. */
function checkServer(server: unknown, { display }: Source, report: Report): void {
  const host = textAt(server, 'host');
  if (host === undefined || isLoopback(host) || listAt(server, 'keys').length > 0) return;
  const path = ['server', 'host'];
  const expected = 'expected 127.0.0.1, or a key in server.keys';
  report(path, `${display(path)} can be reached from other machines; ${expected}`);
}

function checkPackages(account: unknown, path: Path, { display }: Source, report: Report): void {
  const packages = listAt(account, 'packages');
  const ids = packages.map((entry) => at(entry, 'id') ?? entry);
  for (const [index, id] of ids.entries()) {
    const entry = [...path, 'packages', index, ...(typeof packages[index] === 'object' ? ['id'] : [])];
    if (typeof id === 'number' && ids.indexOf(id) < index)
      report(entry, `${display(entry)} is packages[${ids.indexOf(id)}] too; expected each package once`);
  }
  const hasFile = at(at(account, 'packages'), 'file') !== undefined;
  const isMapping = typeof account === 'object' && account !== null;
  if (isMapping && packages.length === 0 && !hasFile && at(account, 'storage') === undefined)
    report(path, 'has nothing to fetch; expected at least one of packages, storage');
}

function checkAuthority(
  settings: unknown,
  path: Path,
  { display }: Source,
  toAbsolute: ToAbsolute,
  report: Report,
): void {
  const file = textAt(settings, 'ca') ?? '';
  const problem = file.trim() === '' ? null : readCertificates(toAbsolute(file)).problem;
  if (problem !== null) report([...path, 'ca'], `${display([...path, 'ca'])} ${problem}`);
}

/**
 * A publication must not replace the live file, or a file of its own: those of SQLite, locks, and what a
 * restore keeps.
 */
function checkFiles(settings: unknown, report: Report): void {
  const live = normalize(textAt(settings, 'warehouse') ?? DEFAULT_FILES.warehouse);
  const published = normalize(textAt(at(settings, 'publish'), 'file') ?? DEFAULT_FILES.publish);
  const isOwn = published === live || ['-', '.'].some((sign) => published.startsWith(live + sign));
  if (isOwn)
    report(['publish', 'file'], 'is the warehouse or a file that belongs to it; expected another name');
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = at(value, key);
  return Array.isArray(list) ? list : [];
}

function textAt(value: unknown, key: string): string | undefined {
  const text = at(value, key);
  return typeof text === 'string' ? text : undefined;
}

import { normalize } from 'node:path';
import type { Finding } from './zod-problems.ts';
import { createCalendar } from '../lib/calendar.ts';
import { isDay } from '../lib/days.ts';
import { isLoopback } from '../lib/loopback.ts';
import type { Path, SourceMap } from './source-map.ts';
import { DEFAULT_FILES } from './schema.ts';

/**
 * What one value of a file demands of another. Looks at the file as it is written, whatever it holds, so that
 * these problems are told together with those of the schema. `now` is in milliseconds since 1970.
 */
export function crossChecks(settings: unknown, places: SourceMap, now: number): Finding[] {
  const accounts = listAt(settings, 'accounts');
  return [
    ...repeated(accounts, (account) => textAt(account, 'name')).map(({ index, first }) => {
      const path = ['accounts', index, 'name'];
      return { path, says: `${places.show(path)} is the name of accounts[${first}] too; expected another` };
    }),
    ...accounts.flatMap((account, index) => checkAccount(account, ['accounts', index], places)),
    ...accounts.flatMap((account, index) => {
      const path = ['accounts', index, 'storage', 'since'];
      return checkSince(at(at(account, 'storage'), 'since'), textAt(settings, 'timezone'), path, now);
    }),
    ...checkFiles(settings),
    ...checkServer(settings, places),
  ];
}

function checkAccount(account: unknown, path: Path, places: SourceMap): Finding[] {
  const packages = listAt(account, 'packages');
  const twice = repeated(packages, (entry) => (typeof entry === 'object' ? at(entry, 'id') : entry));
  const findings = twice.map(({ index, first }) => {
    const id = typeof packages[index] === 'object' ? ['id'] : [];
    const entry = [...path, 'packages', index, ...id];
    return {
      path: entry,
      says: `${places.show(entry)} is packages[${first}] too; expected each package once`,
    };
  });
  const isIdle = at(account, 'storage') === undefined && packages.length === 0 && isListOrNone(account);
  const idle = { path, says: 'has nothing to fetch; expected at least one of packages, storage' };
  return isIdle ? [...findings, idle] : findings;
}

/** A day that is still to come can be booked by nobody. */
function checkSince(since: unknown, timezone: string | undefined, path: Path, now: number): Finding[] {
  if (typeof since !== 'string' || !isDay(since) || timezone === undefined) return [];
  const today = dayIn(timezone, now);
  if (today === null || since <= today) return [];
  return [
    {
      path,
      says: `${since} is in the future; expected a day up to today, ${today} in ${timezone} by this machine's clock`,
    },
  ];
}

/** Null where there is no such time zone. */
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

function checkFiles(settings: unknown): Finding[] {
  const publish = at(settings, 'publish');
  if (publish === undefined) return [];
  const live = textAt(settings, 'warehouse') ?? DEFAULT_FILES.warehouse;
  const published = textAt(publish, 'file') ?? DEFAULT_FILES.publish;
  const path = ['publish', 'file'];
  if (normalize(live) === normalize(published))
    return [{ path, says: 'is the warehouse itself; expected another file' }];
  // SQLite's own files, our locks, what a restore keeps
  const isBeside = ['-', '.'].some((sign) => normalize(published).startsWith(normalize(live) + sign));
  return isBeside
    ? [
        {
          path,
          says: "begins with the warehouse's name, as its own files beside it do; expected another name",
        },
      ]
    : [];
}

/** Without keys everybody who reaches the server is let in. */
function checkServer(settings: unknown, places: SourceMap): Finding[] {
  const server = at(settings, 'server');
  const host = textAt(server, 'host');
  if (host === undefined || isLoopback(host) || listAt(server, 'keys').length > 0) return [];
  const path = ['server', 'host'];
  const says = `${places.show(path)} can be reached from other machines; expected 127.0.0.1, or a key in server.keys`;
  return [{ path, says }];
}

/** The entries whose value an earlier one has already, with the index of that one. */
function repeated(list: readonly unknown[], valueOf: (entry: unknown) => unknown) {
  const firsts = new Map<unknown, number>();
  return list.flatMap((entry, index) => {
    const value = valueOf(entry);
    const first = firsts.get(value);
    if (value === undefined || value === null) return [];
    if (first === undefined) firsts.set(value, index);
    return first === undefined ? [] : [{ index, first }];
  });
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

/** What the soak measures: memory and file descriptors of a worker, sizes of its files, and the lag of its target. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { Database } from '../dist/database/sqlite.js';
import { runCommand } from './soak-worker.js';

/** Bytes of resident memory and the number of file descriptors: of the worker, and of its helper processes. Linux only. */
export function measureProcess(pid) {
  const own = measureOne(pid);
  if (!own) return null;
  const helpers = findChildren(pid).flatMap((each) => measureOne(each) ?? []);
  const sum = (name) => helpers.reduce((total, each) => total + each[name], 0);
  return {
    rss: own.rss,
    files: own.files,
    helpers: helpers.length,
    helpersRss: sum('rss'),
    helpersFiles: sum('files'),
  };
}

function measureOne(pid) {
  try {
    const [, kib] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kib ? { rss: Number(kib) * 1024, files: readdirSync(`/proc/${pid}/fd`).length } : null;
  } catch {
    return null; // it has ended
  }
}

/** The processes below this one. */
export function findChildren(pid) {
  const ids = existsSync('/proc/self/stat') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  const children = ids.filter((id) => {
    try {
      return /^.*\) \S (\d+) /s.exec(readFileSync(`/proc/${id}/stat`, 'utf8'))?.[1] === String(pid);
    } catch {
      return false;
    }
  });
  return children.flatMap((id) => [Number(id), ...findChildren(Number(id))]);
}

export const fileSize = (path) => (existsSync(path) ? statSync(path).size : 0);

/** Runs a query on a file, read-only; null where there is no file yet. */
export function query(path, sql, ...values) {
  if (!existsSync(path)) return null;
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare(sql).all(...values);
  } finally {
    db.close();
  }
}

/** The rows that a table has ever had, by its counter. */
export function countEver(path, table) {
  try {
    return query(path, 'select seq from sqlite_sequence where name = ?', table)?.[0]?.seq ?? 0;
  } catch {
    return 0; // before the first migration
  }
}

/**
 * What `vodhouse status` says: its exit code, problems, and how far the target is behind, in changes and in seconds of real time.
 * `toRealTime`: the real time of a moment of the clock of the workers, both in milliseconds since 1970.
 */
export async function readStatus(worker, toRealTime) {
  const { code, stdout, stderr } = await runCommand(worker, ['status', '--json']);
  if (code !== 0 && code !== 3) return { code, error: stderr.trim() };
  const { needs, targets } = JSON.parse(stdout);
  const accounts = targets.flatMap((target) => target.accounts);
  const changes = accounts.reduce((sum, each) => sum + (each.behind_changes ?? 0), 0);
  const ages = targets.map(({ loaded_at: at }) =>
    at ? Date.now() - toRealTime(Date.parse(`${at.replace(' ', 'T')}Z`)) : 0,
  );
  return { code, needs, changes, seconds: changes > 0 ? Math.max(0, ...ages) / 1000 : 0 };
}

/**
 * Shared by the benches of the server: a config that serves, and functions that start and measure processes.
 */
import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '../dist/lib/logger.js';

export const here = dirname(fileURLToPath(import.meta.url));
/** Silent: an interrupted run would be logged. */
export const logger = createLogger({ level: 'silent', format: 'text', secrets: [] });

/** The limits of an account: only `perSecond`, which may be null. */
const limits = (perSecond) => ({
  ...{ concurrency: 4, perSecond, perMinute: null, perDay: null },
  ...{ maxWaitMs: 120_000, restrictedCodes: [], finalCodes: [] },
});

/** A config of accounts that have the same packages 1 to `packages`; the server has any port and no key. */
export function createConfig({ url, file, packages, accounts = ['bench'], perSecond = null }) {
  const list = Array.from({ length: packages }, (_, index) => ({ id: index + 1, name: null }));
  return {
    file: 'bench',
    warehouse: file,
    timezone: 'UTC',
    worker: 'bench',
    durationUnit: 'ms',
    accounts: accounts.map((name) => ({
      name,
      was: null,
      proxy: 'none',
      ca: null,
      videoList: { baseUrl: url, key: 'bench-key', pageSize: 1000 },
      storage: null,
      packages: list,
      limits: limits(perSecond),
    })),
    schedule: { full: '0 * * * *', quick: null, timezone: 'UTC' },
    walk: { removalBrake: 0.2, resumeWithinMs: 604_800_000, boundaryReads: 0.05 },
    publish: null,
    backup: null,
    retention: { requestsDays: 35, runsDays: 90 },
    server: { host: '127.0.0.1', port: 0, keys: [], trustProxy: false },
    notify: null,
    secrets: ['bench-key'],
  };
}

/** Starts a script of this folder; returns its first message, and the child. */
export async function start(script, ...parameters) {
  const child = fork(join(here, script), parameters.map(String));
  return { child, message: await nextMessage(child) };
}

/** Returns the next message of a child; rejects if the child ends before. */
export function nextMessage(child) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`${child.spawnargs[1]} ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}

/** The path of a page of 100 videos; `more` has additional parameters. */
export function pagePath(packageId, page, more = 'sort_item=id&sort_direction=asc') {
  return `/info/v1/videos.json?pkg=${packageId}&pagesize=100&page=${page}&${more}`;
}

/** The child processes of this or another process, from /proc. */
export function listChildren(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/**
 * The CPU time of a process in milliseconds, from the scheduler's statistics; exact on a busy machine too.
 */
export function readCpuMs(pid) {
  const ns = (thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + ns(thread), 0) / 1e6;
}

/** The CPU time of all processes of this machine in milliseconds. */
export function cpuMsOfAll() {
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .split(/ +/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) * 10;
}

/** A quantile of ascending values. */
export const quantile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
export const ascending = (values) => [...values].sort((one, other) => one - other);
export const ms = (number) => (number < 100 ? number.toFixed(1) : String(Math.round(number)));

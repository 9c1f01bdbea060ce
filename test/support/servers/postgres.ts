/** A PostgreSQL server of its own: Debian's binaries, a temporary folder, a free port, trust on loopback only. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { findChildProcesses } from '../processes/process-table.ts';
import { listenOnLoopback } from './loopback.ts';
import { createCluster, POSTGRES_USER, type Cluster, type ClusterOptions } from './postgres-cluster.ts';

export { findPostgres } from './postgres-cluster.ts';

export interface PostgresServer {
  /** Of its superuser, who needs no password, and of the database `postgres`. */
  url: string;
  port: number;
  /** The rows of the last statement, by a new connection; by default one of `url`. BIGINT comes as text. */
  query: <Row extends object>(sql: string, url?: string) => Promise<Row[]>;
  start: () => Promise<void>;
  /** `immediate`: like a crash. `fast` (default) disconnects the clients first. Thaws a frozen server. */
  stop: (mode?: 'immediate' | 'fast') => Promise<void>;
  /** Freezes all its processes (SIGSTOP), or lets them continue. */
  signal: (name: 'SIGSTOP' | 'SIGCONT') => void;
  /** Creates an empty database. Its address, for the superuser. */
  createDatabase: (name?: string) => Promise<string>;
  /** What the server has logged. */
  log: () => string;
  /** Stops the server and deletes its files. If the tests end without it, a process of its own does the same. */
  remove: () => Promise<void>;
}

/** Created for tests: nothing is safe from a loss of power, and other machines cannot connect. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  shared_buffers: '64MB',
  max_wal_size: '1GB',
};

/**
 * Creates a server and starts it; usable in `beforeAll`. The caller removes it. `settings` are lines of postgresql.conf.
 * Throws where Debian's `postgresql` is not installed.
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  options: ClusterOptions = {},
): Promise<PostgresServer> {
  const port = await findFreePort();
  const cluster = createCluster({ port: String(port), ...SETTINGS, ...settings }, options);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let running: ChildProcess | null = null;
  const query: PostgresServer['query'] = (sql, at = url) => queryOnce(at, sql);
  const start = async () => {
    running = launch(cluster);
    await untilAnswering(running, cluster, url);
  };
  const signal = (name: NodeJS.Signals) => signalAll(running, name);
  const stop = async (mode: 'immediate' | 'fast' = 'fast') => {
    if (!running || hasEnded(running)) return;
    signal('SIGCONT');
    const ended = new Promise((resolve) => running?.once('exit', resolve));
    running.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  };
  let databases = 0;
  const createDatabase = async (name = `database_${++databases}`) => {
    await query(`CREATE DATABASE "${name}" TEMPLATE template0`);
    return url.replace(/[^/]*$/, name);
  };
  const remove = async () => {
    await stop('immediate');
    await cluster.remove();
  };
  const log = () => readLog(cluster);
  try {
    await start();
  } catch (error) {
    await remove();
    throw error;
  }
  return { url, port, query, start, stop, signal, createDatabase, log, remove };
}

async function queryOnce<Row extends object>(connectionString: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined); // the statement fails too
  await client.connect();
  try {
    const results = [await client.query<Row>(sql)].flat(); // several statements have a list of results
    return results.at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

function launch({ bin, data, logFile }: Cluster): ChildProcess {
  const log = openSync(logFile, 'a');
  try {
    return spawn(join(bin, 'postgres'), ['-D', data], {
      ...POSTGRES_USER,
      stdio: ['ignore', log, log],
      detached: true, // Ctrl-C is not for the server
      cwd: '/',
    });
  } finally {
    closeSync(log);
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function untilAnswering(server: ChildProcess, cluster: Cluster, url: string): Promise<void> {
  for (;;) {
    if (hasEnded(server)) throw new Error(`PostgreSQL did not start:\n${readLog(cluster)}`);
    try {
      await queryOnce(url, 'SELECT 1');
      return;
    } catch {
      await sleep(50);
    }
  }
}

function readLog({ logFile }: Cluster): string {
  return existsSync(logFile) ? readFileSync(logFile, 'utf8') : '';
}

/** Each process of PostgreSQL has a group of its own. */
function signalAll(server: ChildProcess | null, name: NodeJS.Signals): void {
  const { pid } = server ?? {};
  if (!server || pid === undefined || hasEnded(server)) return;
  server.kill(name); // the first one, so that it starts no other
  for (const child of findChildProcesses(pid, 'postgres')) {
    try {
      process.kill(child, name);
    } catch {
      // it has ended
    }
  }
}

/** Below the ports of outgoing connections, so that a stopped server finds it free again. */
async function findFreePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const probe = await listenOnLoopback(createServer(), port).catch(() => null);
    await probe?.close();
    if (probe) return port;
  }
}

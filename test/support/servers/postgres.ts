/** A PostgreSQL server of its own: Debian's binaries, a temporary folder, a free port, trust on loopback only. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
} from 'node:fs';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { beforeAll } from 'vitest';
import { NOBODY } from '../processes/child-process.ts';
import { findChildProcesses } from '../processes/process-table.ts';
import { listenOnLoopback } from './loopback.ts';

interface PostgresOptions {
  hba?: readonly string[];
  settings?: readonly string[];
}

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

const VERSIONS = '/usr/lib/postgresql';

/** The folder of initdb and postgres of the newest version; null where Debian's `postgresql` is not installed. */
export function findPostgres(): string | null {
  if (!existsSync(VERSIONS)) return null;
  const newest = readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one))[0];
  const bin = newest === undefined ? '' : join(VERSIONS, newest, 'bin');
  return existsSync(join(bin, 'initdb')) ? bin : null;
}

/** Created for tests: nothing is safe from a loss of power, and other machines cannot connect. */
const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = 'off'
shared_buffers = '64MB'
max_wal_size = '1GB'
`;

/** Waits for the end of its input, which comes when the tests end in any way; then stops the server and deletes the folder. */
const GUARD = `pid=$(cat)
if [ -n "$pid" ]; then
  pkill -CONT -P "$pid"
  kill -CONT "$pid" && kill -QUIT "$pid"
  while kill -0 "$pid"; do sleep 0.1; done
fi 2>/dev/null
rm -rf "$0"`;

/**
 * Creates a server and starts it; usable in `beforeAll`. `url` is that of its superuser, who needs no password, and of the database
 * `postgres`. The caller calls `remove`, which stops the server and deletes its files; if the tests end without it, a process of its
 * own does the same. `hba`: lines of pg_hba.conf before those that trust
 * loopback, such as `host all all 127.0.0.1/32 scram-sha-256`; `settings`: lines of postgresql.conf. Throws where Debian's `postgresql` is not installed.
 */
export async function startPostgres({ hba = [], settings = [] }: PostgresOptions = {}) {
  const port = await findStablePort();
  const folder = mkdtempSync(join(tmpdir(), 'vodhouse-postgres-'));
  const server = launch(folder, port, { hba, settings });
  const remove = guard(server, folder);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  /** The rows of the last statement, by a new connection; by default one of `url`. BIGINT comes as text. */
  const query = <Row extends object>(sql: string, at = url) => queryOnce<Row>(at, sql);
  try {
    while (!(await query('SELECT 1').catch(() => null))) {
      if (hasEnded(server))
        throw new Error(`PostgreSQL did not start:\n${readFileSync(join(folder, 'log'), 'utf8')}`);
      await sleep(50);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  let databases = 0;
  /** Creates an empty database; `options`: such as `ENCODING 'LATIN1'`. Its address, for the superuser. */
  const createDatabase = async (options = '') => {
    const name = `database_${++databases}`;
    await query(`CREATE DATABASE "${name}" TEMPLATE template0 ${options}`);
    return url.replace(/[^/]*$/, name);
  };
  /** Freezes all its processes, or lets them continue. */
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => signalAll(server, name);
  return { url, port, query, signal, createDatabase, remove };
}

/** The server of this process, which is stopped when the process ends. */
let shared: Promise<PostgresServer> | null = null;

/**
 * A server for the tests of a `describe`, which may use it as soon as they run: the one of this process, or one of its
 * own where it has options. Files share its roles, and the schemas of its database `postgres`.
 */
export function postgresForTests(options: PostgresOptions | null = null): PostgresServer {
  const server = {} as PostgresServer; // filled before the first test
  beforeAll(async () => {
    if (options === null) {
      shared ??= startPostgres();
      Object.assign(server, await shared);
      return undefined;
    }
    const own = await startPostgres(options);
    Object.assign(server, own);
    return () => own.remove();
  });
  return server;
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

/** Creates the files of a cluster, and starts its server. */
function launch(folder: string, port: number, { hba, settings }: Required<PostgresOptions>): ChildProcess {
  const bin = findPostgres();
  if (bin === null) throw new Error('PostgreSQL is missing: apt-get install postgresql');
  if (NOBODY.uid !== undefined) chownSync(folder, NOBODY.uid, NOBODY.gid);
  const data = join(folder, 'data');
  const init = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
  execFileSync(join(bin, 'initdb'), init, { ...NOBODY, stdio: 'ignore', cwd: '/' });
  appendFileSync(join(data, 'postgresql.conf'), `${[SETTINGS, `port = ${port}`, ...settings].join('\n')}\n`);
  const hbaFile = join(data, 'pg_hba.conf');
  writeFileSync(hbaFile, [...hba, readFileSync(hbaFile, 'utf8')].join('\n'));
  const log = openSync(join(folder, 'log'), 'a');
  try {
    // detached: Ctrl-C is not for the server
    return spawn(join(bin, 'postgres'), ['-D', data], {
      ...NOBODY,
      stdio: ['ignore', log, log],
      detached: true,
      cwd: '/',
    });
  } finally {
    closeSync(log);
  }
}

/** A process that outlives that of the tests. The function returned lets it stop the server and delete the folder now. */
function guard(server: ChildProcess, folder: string): () => Promise<void> {
  const guarding = spawn('sh', ['-c', GUARD, folder], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => guarding.once('exit', () => resolve()));
  guarding.stdin.write(`${server.pid ?? ''}`);
  guarding.unref();
  (guarding.stdin as unknown as { unref: () => void }).unref();
  return async () => {
    guarding.ref();
    guarding.stdin.end();
    await ended;
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/** Each process of PostgreSQL has a group of its own. */
function signalAll(server: ChildProcess, name: NodeJS.Signals): void {
  if (server.pid === undefined || hasEnded(server)) return;
  server.kill(name); // the first one, so that it starts no other
  for (const child of findChildProcesses(server.pid, 'postgres')) {
    try {
      process.kill(child, name);
    } catch {
      // it has ended
    }
  }
}

/** A free port below those of outgoing connections, so that nothing takes it before the server does. */
async function findStablePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const probe = await listenOnLoopback(createServer(), port).catch(() => null);
    await probe?.close();
    if (probe) return port;
  }
}

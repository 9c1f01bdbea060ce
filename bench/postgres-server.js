/** A PostgreSQL server for the bench: Debian's binaries, a temporary folder, trust on loopback. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const VERSIONS = '/usr/lib/postgresql';
/** PostgreSQL refuses to run as root: then it runs as `nobody`. */
const USER = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};

/** The folder of the newest binaries; null where Debian's `postgresql` is not installed. */
export function findPostgres() {
  if (!existsSync(VERSIONS)) return null;
  const newest = readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one))[0];
  return join(VERSIONS, newest, 'bin');
}

/** Starts a server; `psql` runs a command of psql, `crash` and `restart` take it down and up, and `stop` deletes everything. */
export async function startPostgres(bin, port = 54_999) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (USER.uid) for (const each of [folder, data]) chownSync(each, USER.uid, USER.gid);
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8'],
    {
      ...USER,
      stdio: 'ignore',
    },
  );
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '256MB',
    max_wal_size: '4GB',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const start = () => {
    const server = spawn(join(bin, 'postgres'), ['-D', data, ...options], { ...USER, stdio: 'ignore' });
    return { server, ended: new Promise((resolve) => server.once('exit', resolve)) };
  };
  let running = start();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const psql = (command) =>
    execFileSync('psql', [url, '-qAt', '-v', 'ON_ERROR_STOP=1', '-c', command], { encoding: 'utf8' });
  await waitUntilReady(url);
  /** As when its machine fails: connections break, and it recovers at `restart`. */
  const crash = async () => {
    running.server.kill('SIGQUIT');
    await running.ended; // Ctrl-C may have ended it before
  };
  const restart = async () => {
    running = start();
    await waitUntilReady(url);
  };
  const stop = async () => {
    await crash();
    rmSync(folder, { recursive: true });
  };
  return { url, psql, crash, restart, stop };
}

async function waitUntilReady(url) {
  for (let tries = 0; ; tries++) {
    try {
      execFileSync('psql', [url, '-qc', 'select 1'], { stdio: 'ignore' });
      return;
    } catch (error) {
      if (tries > 100) throw error;
      await setTimeout(100);
    }
  }
}

/** The files of a PostgreSQL server for tests, and who removes them: a cluster in a temporary folder of its own. */
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
  readdirSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VERSIONS = '/usr/lib/postgresql';

/** The folder of initdb and postgres of the newest version; null where Debian's `postgresql` is not installed. */
export function findPostgres(): string | null {
  if (!existsSync(VERSIONS)) return null;
  const newest = readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one))[0];
  const bin = newest === undefined ? '' : join(VERSIONS, newest, 'bin');
  return existsSync(join(bin, 'initdb')) ? bin : null;
}

/** PostgreSQL does not run as root: then it runs as nobody. */
export const POSTGRES_USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

export interface ClusterOptions {
  /** Where the folder of the server is created; by default in that for temporary files. */
  folder?: string;
  /** TLS with this certificate and its key, in PEM. */
  ssl?: { cert: string; key: string };
  /** Lines of pg_hba.conf before those that trust loopback: `host all all 127.0.0.1/32 scram-sha-256`. */
  hba?: readonly string[];
}

/** A cluster with its superuser `postgres`, and what deletes it. */
export interface Cluster {
  /** The folder of initdb and postgres. */
  bin: string;
  data: string;
  logFile: string;
  /** Deletes all files. The server must have ended. */
  remove: () => Promise<void>;
}

/** Creates a cluster with these lines of postgresql.conf. Throws where PostgreSQL is not installed. */
export function createCluster(settings: Readonly<Record<string, string>>, options: ClusterOptions): Cluster {
  const bin = findPostgres();
  if (bin === null) throw new Error('PostgreSQL is missing: apt-get install postgresql');
  if (options.folder !== undefined) chmodSync(options.folder, 0o711); // its user must be able to enter it
  const folder = mkdtempSync(join(options.folder ?? tmpdir(), 'vodhouse-postgres-'));
  const remove = guard(folder);
  if (POSTGRES_USER.uid !== undefined) chownSync(folder, POSTGRES_USER.uid, POSTGRES_USER.gid);
  const data = join(folder, 'data');
  const init = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
  execFileSync(join(bin, 'initdb'), init, { ...POSTGRES_USER, stdio: 'ignore', cwd: '/' });
  const ssl = options.ssl ? writeCertificate(data, options.ssl) : {};
  appendFileSync(join(data, 'postgresql.conf'), toLines({ ...ssl, ...settings }));
  const hba = join(data, 'pg_hba.conf');
  writeFileSync(hba, [...(options.hba ?? []), readFileSync(hba, 'utf8')].join('\n'));
  return { bin, data, logFile: join(folder, 'log'), remove };
}

function toLines(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join('');
}

function writeCertificate(data: string, ssl: { cert: string; key: string }): Record<string, string> {
  for (const name of ['cert', 'key'] as const) {
    const file = join(data, `server.${name}`);
    writeFileSync(file, ssl[name], { mode: 0o600 });
    if (POSTGRES_USER.uid !== undefined) chownSync(file, POSTGRES_USER.uid, POSTGRES_USER.gid);
  }
  return { ssl: 'on', ssl_cert_file: 'server.cert', ssl_key_file: 'server.key' };
}

/** Waits for the end of its input, which comes when the tests end in any way; then stops the server and deletes the folder. */
const GUARD = `cat >/dev/null
pid=$(head -n 1 "$0/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ]; then
  pkill -CONT -P "$pid"
  kill -CONT "$pid" && kill -QUIT "$pid"
  while kill -0 "$pid"; do sleep 0.1; done
fi 2>/dev/null
rm -rf "$0"`;

/** A process that outlives that of the tests. The function returned lets it delete the folder now. */
function guard(folder: string): () => Promise<void> {
  const guarding = spawn('sh', ['-c', GUARD, folder], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => guarding.once('exit', () => resolve()));
  guarding.unref();
  (guarding.stdin as unknown as { unref: () => void }).unref();
  return async () => {
    guarding.ref();
    guarding.stdin.end();
    await ended;
  };
}

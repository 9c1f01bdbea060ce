/**
 * The live files that this process has open. Locks of POSIX belong to the process: closing any descriptor of a file drops all
 * of them, those of SQLite too. Another process then takes itself for the only one, and deletes the -wal when it closes the
 * file: all that is written afterwards is lost.
 */
import type { Database } from './sqlite.ts';
import { getFileIdentity } from './file-identity.ts';

const connections = new Map<string, number>();

/** Whether this thread has the file of this identity open by SQLite: then nothing else may open it. */
export function isOpenHere(identity: string | null): boolean {
  return identity !== null && connections.has(identity);
}

/** The connection; it counts as open until it is closed. */
export function countConnection(client: Database, path: string): Database {
  const identity = getFileIdentity(path);
  if (identity === null) return client;
  connections.set(identity, (connections.get(identity) ?? 0) + 1);
  const close = client.close.bind(client);
  let isClosed = false;
  client.close = () => {
    close();
    if (!isClosed) forget(identity);
    isClosed = true;
    return client;
  };
  return client;
}

function forget(identity: string): void {
  const left = (connections.get(identity) ?? 1) - 1;
  if (left === 0) connections.delete(identity);
  else connections.set(identity, left);
}

/**
 * The sessions that were ended before they expire. A cookie is valid by its signature alone, so a copy of it would survive
 * the logout, and a list in memory would not survive a restart: they are kept in a file next to the live file.
 */
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { errorMessage, WarehouseError } from '../../lib/errors.ts';
import { draftPath, removeStaleDrafts } from '../../database/draft-files.ts';

export interface EndedSessions {
  has(session: string): boolean;
  add(session: string): void;
}

/** A session is its expiry in ms since 1970 and a random id: `1775822400000-9f86…`. It is no secret without its signature. */
const SESSION = /^(\d{1,15})-[\da-f]{32}$/;

/** In ms since 1970; NaN if it is no session: then every comparison is false. */
export function sessionExpiryMs(session: string): number {
  return Number(SESSION.exec(session)?.[1] ?? Number.NaN);
}

/** The file of the ended sessions of the server of a live file. */
export function endedSessionsPath(warehouse: string): string {
  return `${warehouse}.ended-sessions`;
}

/** So many sessions stay in the file though they have expired: a clock that is ahead for a moment must not revive them. */
const KEPT_EXPIRED = 1_000;

/**
 * Reads the file, if there is one, and takes expired sessions out of it (`now` in ms), if there are many. Throws WarehouseError if it cannot be
 * read: its sessions would be valid again. An ended session that cannot be written is ended until the server ends; `onError`
 * gets the reason.
 */
export function openEndedSessions(
  path: string,
  { now, onError }: { now: number; onError: (error: unknown) => void },
): EndedSessions {
  const written = readLines(path);
  const readable = written.filter((session) => SESSION.test(session));
  const newest = readable.length - KEPT_EXPIRED;
  const sessions = new Set(
    readable.filter((session, index) => index >= newest || sessionExpiryMs(session) > now),
  );
  if (sessions.size < written.length) attempt(() => replaceFile(path, [...sessions]), onError);
  return {
    has: (session) => sessions.has(session),
    add: (session) => {
      sessions.add(session);
      attempt(() => appendFileSync(path, `${session}\n`, { mode: 0o600, flush: true }), onError);
    },
  };
}

function readLines(path: string): string[] {
  try {
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  } catch (error) {
    throw new WarehouseError(`${path} cannot be read: ${errorMessage(error)}`, {
      hint: 'it lists the logins that were ended; make it readable for the user that runs vodhouse',
      cause: error,
    });
  }
}

function replaceFile(path: string, sessions: readonly string[]): void {
  removeStaleDrafts(path);
  if (sessions.length === 0) {
    rmSync(path);
    return;
  }
  const draft = draftPath(path);
  writeFileSync(draft, `${sessions.join('\n')}\n`, { mode: 0o600, flush: true });
  renameSync(draft, path);
}

function attempt(write: () => void, onError: (error: unknown) => void): void {
  try {
    write();
  } catch (error) {
    onError(
      new Error(`the list of ended logins cannot be written: ${errorMessage(error)}`, { cause: error }),
    );
  }
}

/**
 * To which warehouse an account of a target belongs. It is stored in the transaction that writes its rows.
 */
import { readLiveFile } from '../../database/connection.ts';
import { query } from '../../database/query.ts';
import { ConfigError } from '../../lib/errors.ts';
import { OTHER_COPY, OTHER_WAREHOUSE } from './load-report.ts';

/** What a target remembers of an account. */
export interface AccountState {
  warehouseId: string;
  /** The publication that was loaded last. */
  publicationId: string;
  /** How far large tables are loaded. */
  changeSeq: number;
  /** As `Source.shapeOf`. */
  shape: string;
  /** `worker` of the config that loaded it last. */
  worker: string;
  /** UTC, `YYYY-MM-DD HH:MM:SS`; null: its first load did not end. */
  loadedAt: string | null;
}

/** Which warehouse loaded an account last, and when; `state`: null where none did. */
export const formatLoaded = (state: AccountState | null): string =>
  state ? `loaded by ${state.worker}, ${state.loadedAt ?? 'not completely'} UTC` : 'not loaded yet';

/** What a person allowed: to load the account again completely; `take-over`: also from another warehouse. */
export type Force = 'rebuild' | 'take-over';

/** The account in the target is not ours. The hint has the command that changes that. */
export class OwnedError extends ConfigError {
  readonly code: string;

  constructor(message: string, code: string, hint: string) {
    super(message, { hint });
    this.code = code;
  }
}

/** What an account is compared with: a live file, or a published one. */
export interface Identity {
  warehouseId: string;
  /** Does it descend from this publication? */
  hasPublication: (publicationId: string) => boolean;
}

/** The identity of a live file. */
export const readIdentity = (live: { path: string; warehouseId: string }): Identity => ({
  warehouseId: live.warehouseId,
  hasPublication: (id) => isPublicationOf(live.path, id, null),
});

/** The newest rows are read first: the publication is one of them, so no index is needed. */
const SELECT_PUBLICATION = query<object, { id: string; last: string | null }>(
  `select 1 from publication where publication_id = :id and number <= ifnull(
  (select number from publication where publication_id = :last order by number desc limit 1), number)
order by number desc limit 1`,
);

/**
 * Did the live file make the publication `id`, and not after `last`? Where the live file does not know
 * `last`, because it was restored since, `last` counts as newer than every publication that it knows.
 */
export function isPublicationOf(live: string, id: string, last: string | null): boolean {
  return readLiveFile(live, (db) => SELECT_PUBLICATION.get(db, { id, last }) !== undefined);
}

/**
 * How the account differs from what this warehouse loaded: `elsewhere` belongs to another warehouse,
 * `unknown` was loaded from a file that this one does not descend from: a newer one, before a backup was
 * restored, or that of a copy.
 */
export function compareOwner(
  state: Pick<AccountState, 'warehouseId' | 'publicationId'> | null,
  { warehouseId, hasPublication }: Identity,
): 'free' | 'ours' | 'elsewhere' | 'unknown' {
  if (state === null) return 'free';
  if (state.warehouseId !== warehouseId) return 'elsewhere';
  return hasPublication(state.publicationId) ? 'ours' : 'unknown';
}

/** Why an account may not be loaded: it is not ours, and not forced. Null if it may. */
export function findRefusal(
  account: string,
  state: AccountState | null,
  identity: Identity,
  force: Force | null,
  command: string,
): OwnedError | null {
  if (state === null) return null;
  const owner = compareOwner(state, identity);
  const { worker, loadedAt, warehouseId } = state;
  const loaded = loadedAt === null ? `worker ${worker}` : `worker ${worker}, ${loadedAt} UTC`;
  if (owner === 'elsewhere' && force !== 'take-over')
    return new OwnedError(
      `account ${account} belongs to another warehouse (${warehouseId}; loaded by ${loaded})`,
      OTHER_WAREHOUSE,
      `if this warehouse is to have it: ${command} --take-over ${account}`,
    );
  if (owner === 'unknown' && force === null)
    return new OwnedError(
      `account ${account} was loaded from a newer file than this one, or from a copy of it (by ${loaded})`,
      OTHER_COPY,
      `if this file is the right one: ${command} --rebuild ${account}`,
    );
  return null;
}

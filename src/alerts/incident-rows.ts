/** The incidents of the live file, and which messages about them were sent. Every process writes them. */
import { sql } from 'drizzle-orm';
import { openLedgerConnection, type Db, type Tx } from '../database/connection.ts';
import { transact } from '../database/transaction.ts';
import type { Scope } from '../health/problem.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../lib/clock.ts';

/** What an incident is about: its kind (health/catalogue.ts) and its scope. */
export interface IncidentKey extends Scope {
  kind: string;
}

/** `since` as the warehouse writes times, `details` as JSON; `advice` null: there is nothing to do. */
interface NewIncident extends IncidentKey {
  text: string;
  advice: string | null;
  details: string;
  since: string;
}

export interface OpenIncident extends NewIncident {
  id: number;
}

export const MESSAGE_STATES = ['begun', 'reminder', 'over'] as const;
/** What a message reports of its incidents. */
export type MessageState = (typeof MESSAGE_STATES)[number];

/** An incident with a message to send now. */
export interface WaitingIncident extends OpenIncident {
  state: MessageState;
  /** Attempts that failed since the last delivery. */
  attempts: number;
}

/** The changes of the incidents that one check finds. */
export interface IncidentChanges {
  opened: readonly NewIncident[];
  closed: readonly number[];
  /** Open incidents of which a text or the details changed. */
  updated: readonly Pick<OpenIncident, 'id' | 'text' | 'advice' | 'details'>[];
}

/** Picks the incidents of the next message out of all that wait. */
export type ChooseNext = (waiting: readonly WaitingIncident[]) => readonly WaitingIncident[];

export type IncidentRows = ReturnType<typeof openIncidentRows>;

/**
 * For this time no other process sends a message that was claimed. After it another process may, because the
 * one that claimed it must have died.
 */
const CLAIM_MS = MINUTE_MS;
/** The longest time between two attempts. */
const MAX_RETRY_MS = HOUR_MS;
const FIRST_RETRY_MS = 30_000;
/** The message about an end is given up after this time. */
const GIVE_UP_DAYS = 7;

/** Milliseconds from a failed attempt to the next one; the first attempt is 1. */
export function getRetryDelay(attempts: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1));
}

/** Opens the incidents of the up-to-date live file at `path`. */
export function openIncidentRows(path: string) {
  const db = openLedgerConnection(path);
  return {
    /**
     * Stores what `find` makes of the open incidents. It is called first without a transaction, to find out
     * whether anything changes at all.
     */
    record: (find: (open: readonly OpenIncident[]) => IncidentChanges, now: number) => {
      const isEmpty = Object.values(find(listOpen(db))).every(({ length }) => length === 0);
      if (!isEmpty) transact(db, (tx) => record(tx, find(listOpen(tx)), toTimestamp(now)));
    },
    /** Takes the next message, so that no other process sends it. `remindAfterMs`: null for no reminders. */
    claim: (choose: ChooseNext, remindAfterMs: number | null, now: number) => {
      const find = (tx: Db | Tx) => choose(findWaiting(tx, remindAfterMs, now));
      return find(db).length === 0 ? [] : transact(db, (tx) => claim(tx, find(tx), now));
    },
    /** Records an attempt; `error`: null if it succeeded. `isInterrupted`: the next one is due at once. */
    settle: (
      claimed: readonly WaitingIncident[],
      error: string | null,
      isInterrupted: boolean,
      now: number,
    ) =>
      transact(db, (tx) =>
        error === null
          ? settleDelivered(tx, claimed, now)
          : settleFailed(tx, claimed, error, isInterrupted, now),
      ),
    /** Deletes incidents that ended this many days ago, and those whose end could not be sent. */
    prune: (now: number, days: number): void =>
      void db.run(sql`delete from incident where closed_at < ${toTimestamp(now - days * DAY_MS)}
        or closed_at < ${toTimestamp(now - GIVE_UP_DAYS * DAY_MS)} and closed_notified_at is null`),
    close: (): void => void db.$client.close(),
  };
}

const COLUMNS = sql.raw(
  'incident_id as id, kind, account, package_id as packageId, part, text, advice, details, since',
);

const listOpen = (tx: Db | Tx) =>
  tx.all<OpenIncident>(sql`select ${COLUMNS} from incident where closed_at is null order by incident_id`);

function record(tx: Tx, { opened, closed, updated }: IncidentChanges, at: string): void {
  tx.run(sql`update incident
    set text = n.value ->> 'text', advice = n.value ->> 'advice', details = n.value ->> 'details'
    from json_each(${JSON.stringify(updated)}) n where incident_id = n.value ->> 'id'`);
  tx.run(sql`
    update incident set closed_at = ${at}
    where incident_id in (select value from json_each(${JSON.stringify(closed)}))`);
  tx.run(sql`
    insert into incident (kind, account, package_id, part, text, advice, details, since, opened_at, next_at)
    select value ->> 'kind', value ->> 'account', value ->> 'packageId', value ->> 'part', value ->> 'text',
      value ->> 'advice', value ->> 'details', value ->> 'since', ${at}, ${at}
    from json_each(${JSON.stringify(opened)}) order by key`);
}

/**
 * The incidents with a message to send. The message that an incident begins is sent before the one that it is
 * over, and that one before the next begin of the same incident. A message in the future, or a next attempt
 * further ahead than any wait, was written by a clock that was ahead, and holds nothing up.
 */
function findWaiting(tx: Db | Tx, remindAfterMs: number | null, now: number): WaitingIncident[] {
  const at = toTimestamp(now);
  const remindBefore = remindAfterMs === null ? null : toTimestamp(now - remindAfterMs);
  return tx.all<WaitingIncident>(sql`
    select ${COLUMNS}, attempts,
      case when notified_at is null then 'begun' when closed_at is null then 'reminder' else 'over' end
        as state
    from incident i
    where closed_notified_at is null
      and (notified_at is null or closed_at is not null
        or ${remindBefore} is not null and (notified_at <= ${remindBefore} or notified_at > ${at}))
      and (next_at <= ${at} or next_at > ${toTimestamp(now + MAX_RETRY_MS)})
      and not exists (select 1 from incident e
        where e.closed_notified_at is null and e.incident_id < i.incident_id
          and e.kind = i.kind and e.account is i.account
          and e.package_id is i.package_id and e.part is i.part)
    order by next_at, incident_id`);
}

const idsOf = (incidents: readonly WaitingIncident[]) =>
  sql`(select value from json_each(${JSON.stringify(incidents.map(({ id }) => id))}))`;

function claim(tx: Tx, incidents: readonly WaitingIncident[], now: number) {
  tx.run(sql`
    update incident set next_at = ${toTimestamp(now + CLAIM_MS)}, last_error = null
    where incident_id in ${idsOf(incidents)}`);
  return incidents;
}

/**
 * Records that a message was delivered. A webhook that accepts one message gets those that failed before at
 * once, but for those that another process sends now.
 */
function settleDelivered(tx: Tx, incidents: readonly WaitingIncident[], now: number): void {
  const at = toTimestamp(now);
  const column = sql.raw(incidents[0]?.state === 'over' ? 'closed_notified_at' : 'notified_at');
  tx.run(sql`
    update incident set ${column} = ${at}, next_at = ${at}, attempts = 0
    where incident_id in ${idsOf(incidents)}`);
  tx.run(
    sql`update incident set next_at = ${at} where closed_notified_at is null and last_error is not null`,
  );
}

function settleFailed(
  tx: Tx,
  incidents: readonly WaitingIncident[],
  error: string,
  isInterrupted: boolean,
  now: number,
): void {
  const attempts = Math.max(...incidents.map((row) => row.attempts + 1));
  const nextAt = toTimestamp(isInterrupted ? now : now + getRetryDelay(attempts));
  tx.run(sql`
    update incident set next_at = ${nextAt}, attempts = ${attempts}, last_error = ${error}
    where incident_id in ${idsOf(incidents)}`);
}

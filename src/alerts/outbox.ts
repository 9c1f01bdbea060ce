/** The outbox: incidents, and the messages that report them, in the live file for every process. */
import { sql } from 'drizzle-orm';
import { openLedgerConnection, type Db, type Tx } from '../database/connection.ts';
import type { MessageState } from '../database/schema/incidents.ts';
import type { IncidentEvent } from '../lib/incident-events.ts';
import { transact } from '../database/transaction.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../lib/clock.ts';

/** The subject of an incident; `since` as the warehouse writes times, `details` as JSON. */
export interface NewIncident {
  event: IncidentEvent;
  account: string | null;
  packageId: number | null;
  text: string;
  details: string;
  since: string;
}

/** An incident that is not over, with the newest message that reports it. */
export interface OpenIncident extends NewIncident {
  id: number;
  messageId: number;
  /** Null, as the times, if there is no such message. */
  state: MessageState | null;
  createdAt: string | null;
  deliveredAt: string | null;
  givenUpAt: string | null;
}

/** A message to deliver, with the incidents that it reports: new ones, or open ones by their ids. */
export interface OutboxMessage {
  event: IncidentEvent;
  account: string | null;
  state: MessageState;
  /** The JSON to post. */
  body: string;
  begun: readonly NewIncident[];
  known: readonly number[];
}

/** What one check changes. */
export interface IncidentChanges {
  messages: readonly OutboxMessage[];
  /** Open incidents whose text or details changed. */
  updated: readonly { id: number; text: string; details: string }[];
}

/** A message that this process may send now. */
export interface ClaimedMessage {
  id: number;
  body: string;
  /** Attempts to send it, this one included. */
  attempts: number;
  /** As the warehouse writes times. */
  createdAt: string;
}

/** The result of an attempt; `nextAt`: when to try again (ms), null to give the message up. */
export type DeliveryResult = { error: null } | { error: string; nextAt: number | null };

export type Outbox = ReturnType<typeof openOutbox>;

/** A process that dies while it sends leaves the message to the others after this time. */
const CLAIM_MS = MINUTE_MS;
/** The longest time between two attempts. */
export const MAX_RETRY_MS = HOUR_MS;

/** Opens the outbox of the up-to-date live file at `path`. */
export function openOutbox(path: string) {
  const db = openLedgerConnection(path);
  return {
    /** The incidents that are not over; times after `now` (ms), written by a fast clock, are set to it first. */
    listOpen: (now: number) => listOpen(db, toTimestamp(now)),
    /** A number that changes with every new message. */
    version: () => getVersion(db),
    /** Stores the changes of a check that began at this version; false, and stores nothing, if another process was faster. */
    record: (changes: IncidentChanges, version: number, now: number) =>
      transact(db, (tx) => getVersion(tx) === version && record(tx, changes, now)),
    /** Takes the next message that is due, so that no other process sends it; returns null and writes nothing if there is none. */
    claim: (now: number) => (findNext(db, now) ? transact(db, (tx) => claim(tx, now)) : null),
    /** Records the result of an attempt. After a delivery all other messages are due at once. */
    settle: (id: number, result: DeliveryResult, now: number) =>
      transact(db, (tx) => settle(tx, id, result, toTimestamp(now))),
    /** Deletes incidents that ended this many days ago. */
    prune: (now: number, days: number) => transact(db, (tx) => prune(tx, toTimestamp(now - days * DAY_MS))),
    close: (): void => void db.$client.close(),
  };
}

const WAITING = sql`delivered_at is null and given_up_at is null`;
/** The newest messages of open incidents. */
const NEWEST_MESSAGES = sql`select message_id from incident where over_at is null`;

/** Not being sent by a process; a claim further ahead than a claim lasts was written by a fast clock. */
function isUnclaimed(now: number) {
  return sql`(claimed_until is null or claimed_until <= ${toTimestamp(now)} or claimed_until > ${toTimestamp(now + CLAIM_MS)})`;
}

function listOpen(db: Db, at: string): OpenIncident[] {
  const read = () =>
    db.all<OpenIncident>(sql`
      select i.incident_id as id, i.event, i.account, i.package_id as packageId, i.text, i.details, i.since,
        i.message_id as messageId, m.state, m.created_at as createdAt, m.delivered_at as deliveredAt,
        m.given_up_at as givenUpAt
      from incident i left join incident_message m using (message_id)
      where i.over_at is null
      order by i.incident_id`);
  const rows = read();
  const isAhead = rows.some((row) =>
    [row.createdAt, row.deliveredAt, row.givenUpAt].some((time) => (time ?? '') > at),
  );
  if (!isAhead) return rows;
  transact(db, (tx) =>
    tx.run(sql`update incident_message set created_at = min(created_at, ${at}),
      delivered_at = min(delivered_at, ${at}), given_up_at = min(given_up_at, ${at})
      where message_id in (${NEWEST_MESSAGES})`),
  );
  return read();
}

function getVersion(tx: Tx): number {
  return tx.get<{ id: number }>(sql`select coalesce(max(message_id), 0) as id from incident_message`).id;
}

function record(tx: Tx, { messages, updated }: IncidentChanges, now: number): true {
  const at = toTimestamp(now);
  tx.run(sql`update incident set text = n.value ->> 'text', details = n.value ->> 'details'
    from json_each(${JSON.stringify(updated)}) n where incident_id = n.value ->> 'id'`);
  for (const { event, account, state, body, begun, known } of messages) {
    const { id } = tx.get<{ id: number }>(sql`
      insert into incident_message (event, account, state, body, created_at, next_at)
      values (${event}, ${account}, ${state}, ${body}, ${at}, ${at}) returning message_id as id`);
    tx.run(sql`insert into incident (event, account, package_id, text, details, since, noticed_at, message_id)
      select value ->> 'event', value ->> 'account', value ->> 'packageId', value ->> 'text', value ->> 'details',
        value ->> 'since', ${at}, ${id}
      from json_each(${JSON.stringify(begun)}) order by key`);
    tx.run(sql`update incident set message_id = ${id}, over_at = ${state === 'over' ? at : null}
      where incident_id in (select value from json_each(${JSON.stringify(known)}))`);
  }
  dropReminders(tx, now);
  return true;
}

/** Drops waiting reminders whose incidents are over or have a newer message; not one that is being sent. */
function dropReminders(tx: Tx, now: number): void {
  tx.run(sql`update incident_message set given_up_at = ${toTimestamp(now)}, claimed_until = null
    where ${WAITING} and state = 'reminder' and ${isUnclaimed(now)} and message_id not in (${NEWEST_MESSAGES})`);
}

/**
 * The message that has been due longest, unless an earlier one of its event and account waits: a webhook that rejects one
 * message still gets those of other events. A next attempt further ahead than any wait was written by a fast clock.
 */
function findNext(tx: Tx, now: number): ClaimedMessage | undefined {
  const [next] = tx.all<ClaimedMessage>(sql`
    select message_id as id, body, attempts + 1 as attempts, created_at as createdAt from incident_message m
    where ${WAITING} and (next_at <= ${toTimestamp(now)} or next_at > ${toTimestamp(now + MAX_RETRY_MS)})
      and ${isUnclaimed(now)}
      and not exists (select 1 from incident_message e
        where e.delivered_at is null and e.given_up_at is null and e.message_id < m.message_id
          and e.event = m.event and e.account is m.account)
    order by next_at, message_id limit 1`);
  return next;
}

function claim(tx: Tx, now: number): ClaimedMessage | null {
  dropReminders(tx, now); // those that another process was sending when their incidents changed
  const next = findNext(tx, now);
  if (!next) return null;
  tx.run(sql`update incident_message set claimed_until = ${toTimestamp(now + CLAIM_MS)}, attempts = ${next.attempts}
    where message_id = ${next.id}`);
  return next;
}

function settle(tx: Tx, id: number, result: DeliveryResult, at: string): void {
  if (result.error === null) {
    tx.run(sql`update incident_message set delivered_at = ${at}, claimed_until = null, last_error = null
      where message_id = ${id}`);
    tx.run(sql`update incident_message set next_at = ${at} where ${WAITING} and next_at > ${at}`);
    return;
  }
  const { error, nextAt } = result;
  tx.run(sql`update incident_message set claimed_until = null, last_error = ${error},
    next_at = coalesce(${nextAt === null ? null : toTimestamp(nextAt)}, next_at),
    given_up_at = ${nextAt === null ? at : null}
    where message_id = ${id}`);
}

/** Keeps the newest message of each open incident, however old. */
function prune(tx: Tx, at: string): void {
  tx.run(sql`delete from incident where over_at < ${at}`);
  tx.run(sql`delete from incident_message
    where created_at < ${at} and not (${WAITING}) and message_id not in (${NEWEST_MESSAGES})`);
}

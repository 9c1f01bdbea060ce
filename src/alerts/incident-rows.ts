/** The incidents of the live file, for every process: a row is an incident and what people were told of it. */
import { sql } from 'drizzle-orm';
import { openLedgerConnection, type Db, type Tx } from '../database/connection.ts';
import { transact } from '../database/transaction.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../lib/clock.ts';

/** What an incident is about: its kind (health/catalogue.ts) and its scope. */
export interface IncidentKey {
  kind: string;
  account: string | null;
  packageId: number | null;
  part: string | null;
}

/** `since` as the warehouse writes times, `details` as JSON. */
export interface NewIncident extends IncidentKey {
  text: string;
  details: string;
  since: string;
}

export interface OpenIncident extends NewIncident {
  id: number;
}

export const MESSAGE_STATES = ['begun', 'reminder', 'over'] as const;
/** What a message tells of its incidents. */
export type MessageState = (typeof MESSAGE_STATES)[number];

/** An incident of which something is to be told now. */
export interface WaitingIncident extends OpenIncident {
  state: MessageState;
  /** Attempts that failed since the last delivery. */
  attempts: number;
}

/** What one check changes. */
export interface IncidentChanges {
  opened: readonly NewIncident[];
  closed: readonly number[];
  /** Open incidents whose text or details changed. */
  updated: readonly { id: number; text: string; details: string }[];
}

export type IncidentRows = ReturnType<typeof openIncidentRows>;

/** A process that dies while it sends leaves the message to the others after this time. */
const CLAIM_MS = MINUTE_MS;
/** The longest time between two attempts. */
const MAX_RETRY_MS = HOUR_MS;
const FIRST_RETRY_MS = 30_000;
/** An end that no webhook accepted for so long is not told any more. */
const GIVE_UP_DAYS = 7;

/** Milliseconds from a failed attempt to the next one; the first attempt is 1. */
export function getRetryDelay(attempts: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 20));
}

/** Opens the incidents of the up-to-date live file at `path`. */
export function openIncidentRows(path: string) {
  const db = openLedgerConnection(path);
  return {
    listOpen: () =>
      db.all<OpenIncident>(sql`select ${COLUMNS} from incident where closed_at is null order by incident_id`),
    /** A value that changes with every incident that begins or ends. */
    version: () => getVersion(db),
    /** Stores the changes of a check that began at this version; false, and stores nothing, if another process was faster. */
    record: (changes: IncidentChanges, version: string, now: number) =>
      transact(db, (tx) => getVersion(tx) === version && record(tx, changes, toTimestamp(now))),
    /**
     * Takes the incidents of the next message, as `choose` picks them out of all that wait, so that no other process sends it.
     * Returns an empty list, and writes nothing, if none waits. `remindAfterMs`: null for no reminders.
     */
    claim: (
      choose: (waiting: readonly WaitingIncident[]) => readonly WaitingIncident[],
      remindAfterMs: number | null,
      now: number,
    ) => {
      const isIdle = choose(findWaiting(db, remindAfterMs, now)).length === 0;
      return isIdle ? [] : transact(db, (tx) => claim(tx, choose(findWaiting(tx, remindAfterMs, now)), now));
    },
    /** Records the result of an attempt; `error`: null if it was accepted. `isInterrupted`: the next attempt is due at once. */
    settle: (
      incidents: readonly WaitingIncident[],
      { error, isInterrupted }: { error: string | null; isInterrupted: boolean },
      now: number,
    ) =>
      transact(db, (tx) =>
        error === null
          ? settleDelivered(tx, incidents, now)
          : settleFailed(tx, incidents, error, isInterrupted, now),
      ),
    /** Deletes incidents that ended this many days ago. */
    prune: (now: number, days: number) =>
      transact(db, (tx) =>
        tx.run(sql`delete from incident where closed_at < ${toTimestamp(now - days * DAY_MS)}`),
      ),
    close: (): void => void db.$client.close(),
  };
}

const COLUMNS = sql.raw(
  'incident_id as id, kind, account, package_id as packageId, part, text, details, since',
);

/** A process sends it now, or died while it did. */
const IS_CLAIMED = sql.raw('attempts > 0 and last_error is null');

function getVersion(tx: Tx): string {
  return tx.get<{ version: string }>(
    sql`select coalesce(max(incident_id), 0) || ' ' || count(closed_at) as version from incident`,
  ).version;
}

function record(tx: Tx, { opened, closed, updated }: IncidentChanges, at: string): true {
  tx.run(sql`update incident set text = n.value ->> 'text', details = n.value ->> 'details'
    from json_each(${JSON.stringify(updated)}) n where incident_id = n.value ->> 'id'`);
  tx.run(sql`update incident set closed_at = ${at}, next_at = case when ${IS_CLAIMED} then next_at else ${at} end
    where incident_id in (select value from json_each(${JSON.stringify(closed)}))`);
  tx.run(sql`
    insert into incident (kind, account, package_id, part, text, details, since, opened_at, next_at)
    select value ->> 'kind', value ->> 'account', value ->> 'packageId', value ->> 'part', value ->> 'text',
      value ->> 'details', value ->> 'since', ${at}, ${at}
    from json_each(${JSON.stringify(opened)}) order by key`);
  return true;
}

/**
 * The begin of an incident is told before its end, and its end before the next begin of the same one. A message in the future,
 * or a next attempt further ahead than any wait, was written by a fast clock.
 */
function findWaiting(tx: Db | Tx, remindAfterMs: number | null, now: number): WaitingIncident[] {
  const isReminderDue =
    remindAfterMs === null
      ? sql`0`
      : sql`(notified_at <= ${toTimestamp(now - remindAfterMs)} or notified_at > ${toTimestamp(now)})`;
  const givenUp = toTimestamp(now - GIVE_UP_DAYS * DAY_MS);
  return tx.all<WaitingIncident>(sql`
    select ${COLUMNS}, attempts, case when notified_at is null then 'begun' when closed_at is null then 'reminder'
      else 'over' end as state
    from incident i
    where closed_notified_at is null and (closed_at is null or closed_at > ${givenUp})
      and (notified_at is null or closed_at is not null or ${isReminderDue})
      and (next_at <= ${toTimestamp(now)} or next_at > ${toTimestamp(now + MAX_RETRY_MS)})
      and not exists (select 1 from incident e
        where e.closed_notified_at is null and e.closed_at > ${givenUp} and e.incident_id < i.incident_id
          and e.kind = i.kind and e.account is i.account and e.package_id is i.package_id and e.part is i.part)
    order by next_at, incident_id`);
}

const idsOf = (incidents: readonly WaitingIncident[]) =>
  sql`(select value from json_each(${JSON.stringify(incidents.map(({ id }) => id))}))`;

function claim(tx: Tx, incidents: readonly WaitingIncident[], now: number) {
  tx.run(sql`update incident set next_at = ${toTimestamp(now + CLAIM_MS)}, attempts = attempts + 1, last_error = null
    where incident_id in ${idsOf(incidents)}`);
  return incidents;
}

/** A webhook that accepts one message gets all others at once, but for those that another process sends now. */
function settleDelivered(tx: Tx, incidents: readonly WaitingIncident[], now: number): void {
  const at = toTimestamp(now);
  const column = sql.raw(incidents[0]?.state === 'over' ? 'closed_notified_at' : 'notified_at');
  tx.run(sql`update incident set ${column} = ${at}, next_at = ${at}, attempts = 0
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
  tx.run(sql`update incident set next_at = ${nextAt}, last_error = ${error}
    where incident_id in ${idsOf(incidents)}`);
}

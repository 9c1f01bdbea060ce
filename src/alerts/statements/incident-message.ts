/** Messages that tell of incidents: written, claimed, taken, put off, given up, dropped, forgotten. */
import { and, desc, eq, gt, inArray, isNull, lt, lte, notExists, notInArray, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Tx } from '../../database/connection.ts';
import { incident, incidentMessage } from '../../database/schema/incidents.ts';

export type MessageRow = typeof incidentMessage.$inferSelect;
export type NewMessageRow = Pick<MessageRow, 'event' | 'account' | 'state' | 'body'>;

/** Moments for a look at what waits; what is put off or claimed for longer was so by a clock that was ahead. */
export interface Moments {
  at: string;
  latestNext: string;
  latestClaim: string;
}

const isWaiting = and(isNull(incidentMessage.delivered_at), isNull(incidentMessage.given_up_at));
/** The newest messages of the incidents that last. */
const lastWords = (tx: Tx) =>
  tx.select({ id: incident.message_id }).from(incident).where(isNull(incident.over_at));

function isFree({ at, latestClaim }: Moments) {
  const { claimed_until } = incidentMessage;
  return or(isNull(claimed_until), lte(claimed_until, at), gt(claimed_until, latestClaim));
}

/** Writes a message that may be sent at once, and gives its number. */
export function insertMessage(tx: Tx, row: NewMessageRow, at: string): number {
  return tx
    .insert(incidentMessage)
    .values({ ...row, created_at: at, next_at: at })
    .returning({ id: incidentMessage.message_id })
    .get().id;
}

/** Number of the message that was written last; 0 before the first. */
export function newestMessage(tx: Tx): number {
  const newest = tx
    .select({ id: incidentMessage.message_id })
    .from(incidentMessage)
    .orderBy(desc(incidentMessage.message_id))
    .limit(1)
    .get();
  return newest?.id ?? 0;
}

/**
 * The message that may be sent longest: no earlier one of its event and account waits, and no process sends it. One that is
 * refused again and again does not keep those of others waiting.
 */
export function nextMessage(tx: Tx, moments: Moments): MessageRow | undefined {
  const earlier = alias(incidentMessage, 'earlier');
  const isBehind = tx
    .select({ one: sql`1` })
    .from(earlier)
    .where(
      and(
        isNull(earlier.delivered_at),
        isNull(earlier.given_up_at),
        lt(earlier.message_id, incidentMessage.message_id),
        eq(earlier.event, incidentMessage.event),
        sql`${earlier.account} is ${incidentMessage.account}`,
      ),
    );
  const { next_at } = incidentMessage;
  const isDue = or(lte(next_at, moments.at), gt(next_at, moments.latestNext));
  return tx
    .select()
    .from(incidentMessage)
    .where(and(isWaiting, isDue, isFree(moments), notExists(isBehind)))
    .orderBy(next_at, incidentMessage.message_id)
    .limit(1)
    .get();
}

/** Gives the message to one process until then, and counts the attempt. */
export function claimMessage(tx: Tx, id: number, until: string): void {
  tx.update(incidentMessage)
    .set({ claimed_until: until, attempts: sql`${incidentMessage.attempts} + 1` })
    .where(eq(incidentMessage.message_id, id))
    .run();
}

/** The webhook took the message. */
export function recordDelivered(tx: Tx, id: number, at: string): void {
  tx.update(incidentMessage)
    .set({ delivered_at: at, claimed_until: null, last_error: null })
    .where(eq(incidentMessage.message_id, id))
    .run();
}

/** The webhook did not take it: it may be sent again from `nextAt` on. */
export function recordPostponed(tx: Tx, id: number, nextAt: string, error: string): void {
  tx.update(incidentMessage)
    .set({ next_at: nextAt, claimed_until: null, last_error: error })
    .where(eq(incidentMessage.message_id, id))
    .run();
}

/** What waits may be sent now: the webhook takes messages again. */
export function retryAllNow(tx: Tx, at: string): void {
  tx.update(incidentMessage)
    .set({ next_at: at })
    .where(and(isWaiting, gt(incidentMessage.next_at, at)))
    .run();
}

/** The message was not taken for too long: it waits no more. */
export function giveUpMessage(tx: Tx, id: number, at: string, error: string): void {
  tx.update(incidentMessage)
    .set({ given_up_at: at, claimed_until: null, last_error: error })
    .where(eq(incidentMessage.message_id, id))
    .run();
}

/** Drops the reminders that wait though their incidents are over, or were told of since; not one that is being sent. */
export function dropReminders(tx: Tx, moments: Moments): void {
  const { state, message_id } = incidentMessage;
  tx.update(incidentMessage)
    .set({ given_up_at: moments.at, claimed_until: null })
    .where(and(isWaiting, eq(state, 'reminder'), isFree(moments), notInArray(message_id, lastWords(tx))))
    .run();
}

/** What a clock that was ahead wrote of the newest messages of incidents that last counts as from `at`. */
export function clampFutureTimes(tx: Tx, at: string): void {
  const { created_at, delivered_at, given_up_at, message_id } = incidentMessage;
  tx.update(incidentMessage)
    .set({
      created_at: sql`min(${created_at}, ${at})`,
      delivered_at: sql`min(${delivered_at}, ${at})`,
      given_up_at: sql`min(${given_up_at}, ${at})`,
    })
    .where(inArray(message_id, lastWords(tx)))
    .run();
}

/** Forgets what was written before `at` and waits no more, but for the last word on an incident that lasts. */
export function pruneMessages(tx: Tx, at: string): void {
  const { message_id, created_at, delivered_at, given_up_at } = incidentMessage;
  const isDone = sql`coalesce(${delivered_at}, ${given_up_at}) is not null`;
  tx.delete(incidentMessage)
    .where(and(lt(created_at, at), isDone, notInArray(message_id, lastWords(tx))))
    .run();
}

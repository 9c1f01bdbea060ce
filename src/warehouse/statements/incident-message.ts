/** Messages that tell of incidents: written, claimed, taken, put off, given up, forgotten. */
import { and, desc, eq, gt, isNull, lt, lte, notExists, notInArray, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Tx } from '../file.ts';
import { incident, incidentMessage } from '../schema/incidents.ts';

export type MessageRow = typeof incidentMessage.$inferSelect;
export type NewMessageRow = Pick<MessageRow, 'event' | 'account' | 'state' | 'body'>;

const isWaiting = and(isNull(incidentMessage.delivered_at), isNull(incidentMessage.given_up_at));

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
export function nextMessage(tx: Tx, at: string): MessageRow | undefined {
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
  const { next_at, claimed_until } = incidentMessage;
  const isFree = or(isNull(claimed_until), lte(claimed_until, at));
  return tx
    .select()
    .from(incidentMessage)
    .where(and(isWaiting, lte(next_at, at), isFree, notExists(isBehind)))
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
export function noteDelivered(tx: Tx, id: number, at: string): void {
  tx.update(incidentMessage)
    .set({ delivered_at: at, claimed_until: null, last_error: null })
    .where(eq(incidentMessage.message_id, id))
    .run();
}

/** The webhook did not take it: it may be sent again from `nextAt` on. */
export function notePutOff(tx: Tx, id: number, nextAt: string, error: string): void {
  tx.update(incidentMessage)
    .set({ next_at: nextAt, claimed_until: null, last_error: error })
    .where(eq(incidentMessage.message_id, id))
    .run();
}

/** What waits may be sent now: the webhook takes messages again. */
export function hastenMessages(tx: Tx, at: string): void {
  tx.update(incidentMessage)
    .set({ next_at: at })
    .where(and(isWaiting, gt(incidentMessage.next_at, at)))
    .run();
}

/** Gives up the messages that were written before then and never taken; says how many. */
export function giveUpMessages(tx: Tx, before: string, at: string): number {
  return tx
    .update(incidentMessage)
    .set({ given_up_at: at, claimed_until: null })
    .where(and(isWaiting, lt(incidentMessage.created_at, before)))
    .run().changes;
}

/** How many messages were written before then and still wait? */
export function countWaiting(tx: Tx, before: string): number {
  const row = tx
    .select({ count: sql<number>`count(*)` })
    .from(incidentMessage)
    .where(and(isWaiting, lt(incidentMessage.created_at, before)))
    .get();
  return row?.count ?? 0;
}

/** Forgets what was written before `at` and waits no more, but for the last word on an incident that lasts. */
export function pruneMessages(tx: Tx, at: string): void {
  const { message_id, created_at, delivered_at, given_up_at } = incidentMessage;
  const needed = tx.select({ id: incident.message_id }).from(incident).where(isNull(incident.over_at));
  const isDone = sql`coalesce(${delivered_at}, ${given_up_at}) is not null`;
  tx.delete(incidentMessage)
    .where(and(lt(created_at, at), isDone, notInArray(message_id, needed)))
    .run();
}

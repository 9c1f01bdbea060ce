/** Incidents: open, begun, seen again, over, forgotten. */
import { eq, getTableColumns, isNull, lt, sql } from 'drizzle-orm';
import type { Tx } from '../../database/connection.ts';
import { incident, incidentMessage } from '../../database/schema/incidents.ts';
import type { MessageRow } from './incident-message.ts';
import { prepareOnce } from '../../database/prepared.ts';

export type IncidentRow = typeof incident.$inferSelect;
export type NewIncidentRow = Omit<typeof incident.$inferInsert, 'incident_id' | 'over_at'>;

/** An incident that is not over, and what became of the newest message that tells of it. */
export type OpenIncident = IncidentRow & {
  message: Pick<MessageRow, 'state' | 'created_at' | 'delivered_at' | 'given_up_at'> | null;
};

/** The incidents that are not over, in their order. */
export function openIncidents(tx: Tx): OpenIncident[] {
  const { state, created_at, delivered_at, given_up_at, message_id } = incidentMessage;
  return tx
    .select({ ...getTableColumns(incident), message: { state, created_at, delivered_at, given_up_at } })
    .from(incident)
    .leftJoin(incidentMessage, eq(message_id, incident.message_id))
    .where(isNull(incident.over_at))
    .orderBy(incident.incident_id)
    .all();
}

const value = (name: string) => sql.placeholder(name);
const given = (name: string) => sql`${value(name)}`;
const ofId = eq(incident.incident_id, value('id'));

const insert = prepareOnce((db) =>
  db
    .insert(incident)
    .values({
      event: value('event'),
      account: value('account'),
      package_id: value('package_id'),
      text: value('text'),
      details: value('details'),
      since: value('since'),
      noticed_at: value('noticed_at'),
      message_id: value('message_id'),
    })
    .prepare(),
);
const describe = prepareOnce((db) =>
  db
    .update(incident)
    .set({ text: given('text'), details: given('details') })
    .where(ofId)
    .prepare(),
);
const told = prepareOnce((db) =>
  db
    .update(incident)
    .set({ message_id: given('messageId'), over_at: given('overAt') })
    .where(ofId)
    .prepare(),
);

/** Adds an incident that begins. */
export function insertIncident(tx: Tx, row: NewIncidentRow): void {
  insert(tx).run(row);
}

/** Writes down what an incident looks like now. */
export function describeIncident(tx: Tx, id: number, seen: Pick<IncidentRow, 'text' | 'details'>): void {
  describe(tx).run({ id, text: seen.text, details: seen.details });
}

/** Notes the newest message that tells of the incident; `overAt` where it tells its end. */
export function recordNotified(tx: Tx, id: number, messageId: number, overAt: string | null): void {
  told(tx).run({ id, messageId, overAt });
}

/** Forgets the incidents that were over before `at`. */
export function pruneIncidents(tx: Tx, at: string): void {
  tx.delete(incident).where(lt(incident.over_at, at)).run();
}

/** Compares the problems with the open incidents: which begin, end or are due for a reminder. Pure. */
import { fromTimestamp } from '../lib/clock.ts';
import type { ActiveIncident } from './incidents.ts';
import { buildMessages, type MessageOptions, type ReportedIncident } from './messages.ts';
import type { IncidentChanges, OpenIncident } from './outbox.ts';

export interface DiffOptions extends MessageOptions {
  now: number;
  /** Milliseconds from one message of an incident to its reminder; null for none. */
  remindAfterMs: number | null;
  formatResolved: (incident: OpenIncident) => string;
}

export function diffIncidents(
  active: readonly ActiveIncident[],
  open: readonly OpenIncident[],
  options: DiffOptions,
): IncidentChanges {
  const activeByKey = new Map(active.map((incident) => [keyOf(incident), incident]));
  const openKeys = new Set(open.map(keyOf));
  const lasting = open.flatMap((incident) => {
    const current = activeByKey.get(keyOf(incident));
    return current ? { incident, current } : [];
  });
  const ended = open.filter((incident) => !activeByKey.has(keyOf(incident)));
  // a reminder that waits is wrong when some of its incidents ended: the others get a new one
  const outdated = new Set(ended.filter(isReminderWaiting).map(({ messageId }) => messageId));
  const unreported = lasting.filter(({ incident }) => isUnreported(incident));
  const reminded = lasting.filter(
    ({ incident }) => isReminderDue(incident, options) || outdated.has(incident.messageId),
  );
  const begun = active.filter((incident) => incident.canOpen && !openKeys.has(keyOf(incident)));
  const over = ended.map((incident) => ({
    ...incident,
    text: options.formatResolved(incident),
    details: JSON.parse(incident.details) as ReportedIncident['details'],
  }));
  const toReport = [...unreported.map(toReported), ...begun.map((incident) => ({ ...incident, id: null }))];
  return {
    messages: [
      ...buildMessages('over', over, options),
      ...buildMessages('begun', toReport, options),
      ...buildMessages('reminder', reminded.map(toReported), options),
    ],
    updated: lasting.flatMap(({ incident, current }) => {
      const details = JSON.stringify(current.details);
      const isSame = incident.text === current.text && incident.details === details;
      return isSame ? [] : { id: incident.id, text: current.text, details };
    }),
  };
}

type IncidentKey = Pick<ActiveIncident, 'event' | 'account' | 'packageId'>;

const keyOf = ({ event, account, packageId }: IncidentKey) => JSON.stringify([event, account, packageId]);

/** An open incident with its present text and details. */
type LastingIncident = { incident: OpenIncident; current: ActiveIncident };

function toReported({ incident: { since, id }, current }: LastingIncident): ReportedIncident {
  return { ...current, since, id };
}

/** The message about its begin was given up. */
function isUnreported({ state, deliveredAt, givenUpAt }: OpenIncident): boolean {
  return state === 'begun' && deliveredAt === null && givenUpAt !== null;
}

function isReminderWaiting({ state, deliveredAt, givenUpAt }: OpenIncident): boolean {
  return state === 'reminder' && deliveredAt === null && givenUpAt === null;
}

/**
 * Counted from the last delivered message. An incident whose first message waits gets no reminder; a reminder that waits
 * for as long is replaced by a newer one.
 */
function isReminderDue(incident: OpenIncident, { now, remindAfterMs }: DiffOptions): boolean {
  if (remindAfterMs === null || isUnreported(incident)) return false;
  const { deliveredAt, givenUpAt, createdAt } = incident;
  const from = deliveredAt ?? givenUpAt ?? (isReminderWaiting(incident) ? createdAt : null);
  return from !== null && fromTimestamp(from) + remindAfterMs <= now;
}

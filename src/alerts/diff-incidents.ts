/** What a look changes: which incidents begin, end or are due to be told again, and what is said of them. Pure. */
import { fromTimestamp } from '../lib/clock.ts';
import type { Changes, OpenIncident } from './outbox.ts';
import type { ActiveProblem } from './rules.ts';
import { buildMessages, type Clean, type NotifiedIncident } from './messages.ts';

export interface ChangeRules {
  now: number;
  /** Milliseconds from one message of an incident to its reminder; null for none. */
  remindAfterMs: number | null;
  /** Words for an incident that is over. */
  overWords: (incident: OpenIncident) => string;
  /** Takes the secrets out of all texts of a value. */
  clean: Clean;
  /** The account where there is just one: it is named where all of them are concerned. */
  only: string | null;
}

/** What was found, against the incidents that are open. */
export function diffIncidents(
  found: readonly ActiveProblem[],
  open: readonly OpenIncident[],
  rules: ChangeRules,
): Changes {
  const byKey = new Map(found.map((each) => [keyOf(each.event, each.account, each.packageId), each]));
  const pairs = open.map((incident) => {
    const key = keyOf(incident.event, incident.account, incident.package_id);
    return { incident, key, now: byKey.get(key) };
  });
  const known = new Set(pairs.map(({ key }) => key));
  const ended = pairs.flatMap(({ incident, now }) =>
    now ? [] : overOf(incident, rules.overWords(incident)),
  );
  const lasting = pairs.flatMap(({ incident, now }) => (now ? { incident, now } : []));
  const untold = lasting.filter(({ incident }) => isUntold(incident));
  const outdated = new Set(
    pairs.flatMap(({ incident, now }) => (!now && isReminding(incident) ? incident.message_id : [])),
  );
  const reminded = lasting.filter(
    ({ incident }) => isDue(incident, rules) || outdated.has(incident.message_id),
  );
  const begun = found.filter(
    (each) => each.mayBegin && !known.has(keyOf(each.event, each.account, each.packageId)),
  );
  return {
    tellings: [
      ...buildMessages('over', ended, rules),
      ...buildMessages('begun', [...untold.map(asKnown), ...begun.map(asNew)], rules),
      ...buildMessages('reminder', reminded.map(asKnown), rules),
    ],
    seen: lasting.flatMap(({ incident, now }) => seenAnew(incident, now)),
  };
}

/** True where nothing is to be stored. */
export function isNothing({ tellings, seen }: Changes): boolean {
  return tellings.length === 0 && seen.length === 0;
}

function keyOf(event: string, account: string | null, packageId: number | null): string {
  return JSON.stringify([event, account, packageId]);
}

function asNew(found: ActiveProblem): NotifiedIncident {
  return { ...found, id: null };
}

function asKnown({ incident, now }: { incident: OpenIncident; now: ActiveProblem }): NotifiedIncident {
  return { ...now, since: incident.since, id: incident.incident_id };
}

function overOf(incident: OpenIncident, text: string): NotifiedIncident {
  const { incident_id: id, event, account, package_id: packageId, since } = incident;
  const details = JSON.parse(incident.details) as NotifiedIncident['details'];
  return { id, event, account, packageId, since, text, details };
}

/** Nobody heard that it began: the message was given up. */
function isUntold({ message }: OpenIncident): boolean {
  return message?.state === 'begun' && message.delivered_at === null && message.given_up_at !== null;
}

/** A reminder of it waits. Where others of the same reminder are over it says too much: the rest is reminded of anew. */
function isReminding({ message }: OpenIncident): boolean {
  return message?.state === 'reminder' && message.delivered_at === null && message.given_up_at === null;
}

/**
 * Counted from the last message about it that was taken. While its beginning waits, nobody is reminded; a reminder that
 * waits for as long makes way for a newer one.
 */
function isDue(incident: OpenIncident, { now, remindAfterMs }: ChangeRules): boolean {
  const { message } = incident;
  if (remindAfterMs === null || !message || isUntold(incident)) return false;
  const written = isReminding(incident) ? message.created_at : null;
  const from = message.delivered_at ?? message.given_up_at ?? written;
  return from !== null && fromTimestamp(from) + remindAfterMs <= now;
}

function seenAnew(incident: OpenIncident, { text, details: found }: ActiveProblem): Changes['seen'] {
  const details = JSON.stringify(found);
  const isSame = incident.text === text && incident.details === details;
  return isSame ? [] : [{ id: incident.incident_id, text, details }];
}

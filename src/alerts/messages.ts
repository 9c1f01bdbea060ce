/** The messages that report incidents: one for each, or one for more than ten packages of an account. Pure. */
import type { MessageState } from '../database/schema/incidents.ts';
import { GROUP_TEXTS, groupPackages, groupText, listFirst } from '../health/problem-kinds.ts';
import type { IncidentEvent } from '../lib/incident-events.ts';
import type { ActiveIncident } from './incidents.ts';
import type { OutboxMessage } from './outbox.ts';

/** An incident to report; `id` is null if it begins. */
export type ReportedIncident = Omit<ActiveIncident, 'canOpen'> & { id: number | null };

export interface MessageOptions {
  /** Takes the secrets out of all texts of a value. */
  redact: <Value>(value: Value) => Value;
  /** The account if there is just one: it is named where a problem concerns all accounts. */
  onlyAccount: string | null;
}

/** The body of a message: docs/alerts.md. */
export interface Post {
  event: IncidentEvent;
  state: MessageState;
  account: string | null;
  package_id: number | null;
  text: string;
  /** `YYYY-MM-DD HH:MM:SS` UTC. */
  since: string;
  details: Readonly<Record<string, unknown>>;
}

/** The most packages that a grouped message lists. */
const MAX_LISTED = 1_000;

/** The messages for incidents that begin together, end together, or are due for a reminder together. */
export function buildMessages(
  state: MessageState,
  incidents: readonly ReportedIncident[],
  { redact, onlyAccount }: MessageOptions,
): OutboxMessage[] {
  const groups = groupPackages(incidents, (incident) => ({ kind: incident.event, ...incident }));
  return groups.map((group) => {
    const [{ event, account }, ...others] = group;
    const post = others.length > 0 ? buildGroupPost(state, group) : buildPost(state, group[0]);
    return {
      event,
      account, // null stays null: another account may be added while the incident lasts
      state,
      body: JSON.stringify({ ...redact({ ...post, account: account ?? onlyAccount }), event, state }),
      begun: group
        .filter(({ id }) => id === null)
        .map((row) => ({ ...row, details: JSON.stringify(row.details) })),
      known: group.flatMap(({ id }) => id ?? []),
    };
  });
}

const PREFIXES = { begun: '', reminder: 'Still: ', over: 'Over: ' } as const;

function buildPost(
  state: MessageState,
  { event, account, packageId, text, since, details }: ReportedIncident,
): Post {
  return { event, state, account, package_id: packageId, text: PREFIXES[state] + text, since, details };
}

function buildGroupPost(
  state: MessageState,
  group: readonly [ReportedIncident, ...ReportedIncident[]],
): Post {
  const [first] = group;
  const { event, account } = first;
  const packages = group.map(({ packageId, since }) => ({ package_id: packageId, since }));
  const isOver = state === 'over';
  const sentence = groupText(account, group.length, INCIDENT_TEXTS[event][isOver ? 1 : 0]);
  const names = listFirst(group.flatMap(({ packageId }) => packageId ?? []));
  const example = event === 'failed' && !isOver ? `; ${first.text}` : '';
  const since = packages.map((each) => each.since).sort()[0] ?? first.since;
  const details = { count: group.length, packages: packages.slice(0, MAX_LISTED) };
  const text = `${sentence} (${names})${example}`;
  return buildPost(state, { ...first, packageId: null, text, since, details });
}

const INCIDENT_TEXTS: Record<IncidentEvent, [begun: string, over: string]> = {
  failed: [GROUP_TEXTS.failed, 'no longer fail'],
  stale: [GROUP_TEXTS.stale, 'are fresh again'],
  held_back: ['have removals that are held back', 'have no removals held back any more'],
  restricted: ['are paused', 'are no longer paused'],
  discrepancy: ['differ', 'no longer differ'],
  gap: ['have gaps', 'have no gaps any more'],
  quarantine: ['have records in quarantine', 'have no records in quarantine any more'],
  drift: ['drift', 'no longer drift'],
  unpublished: ['are not published', 'are published'],
  backup: ['have no backup', 'have a backup'],
  target: ['are not in a target', 'are in the targets again'],
  config: ['have a refused config', 'have a valid config'],
  clock: ['have another clock', 'have the same clock again'],
  parked: ['are parked', 'are no longer parked'],
  partial: [GROUP_TEXTS.partial, 'are no longer incomplete'],
  unordered: [GROUP_TEXTS.unordered, 'are listed in order of ids again'],
  time_zone: ['differ by a time zone', 'no longer differ by a time zone'],
  unconfirmed: ['wait for a second reading', 'no longer wait for a second reading'],
};

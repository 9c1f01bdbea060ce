/** What is posted of incidents: one message each, or one for many of an event and account. Pure. */
import type { IncidentEvent, MessageState, OpenIncident, OutboxMessage } from './outbox.ts';
import { isConfigured, listed, nameIn, type AlertInputs, type ActiveProblem } from './rules.ts';

/** An incident to tell of; `id` is null where it begins. */
export type NotifiedIncident = Omit<ActiveProblem, 'mayBegin'> & { id: number | null };

/** Takes the secrets out of all texts of a value. */
export type Clean = <Value>(value: Value) => Value;

/** How messages are written. */
export interface PostRules {
  clean: Clean;
  /** The account where there is just one; else null. */
  only: string | null;
}

/** What is posted: docs/alerts.md. */
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

/** More packages than this in one state at one look are told of in one message. */
export const GROUP_ABOVE = 10;
/** The most packages that such a message lists. */
const MOST_LISTED = 1_000;

/** The messages for incidents that begin together, end together, or are told again together. */
export function buildMessages(
  state: MessageState,
  incidents: readonly NotifiedIncident[],
  rules: PostRules,
): OutboxMessage[] {
  const groups = new Map<string, NotifiedIncident[]>();
  for (const incident of incidents) {
    const key = JSON.stringify([incident.event, incident.account, incident.packageId === null]);
    groups.set(key, [...(groups.get(key) ?? []), incident]);
  }
  return [...groups.values()].flatMap((group) => {
    if (group.length > GROUP_ABOVE) return telling(stormPost(state, group), group, rules);
    return group.map((one) => telling(postOf(state, one), [one], rules));
  });
}

/** What concerns all accounts is told of the only one, but is no incident of it: another may be added. */
function telling(post: Post, of: readonly NotifiedIncident[], { clean, only }: PostRules): OutboxMessage {
  const { event, account, state } = post;
  const begun = of.filter(({ id }) => id === null);
  return {
    event,
    account,
    state,
    body: JSON.stringify({ ...clean({ ...post, account: account ?? only }), event, state }),
    begun: begun.map((row) => ({ ...row, details: JSON.stringify(row.details) })),
    known: of.flatMap(({ id }) => id ?? []),
  };
}

/** What the text of each state begins with. */
const BEFORE = { begun: '', reminder: 'Still: ', over: 'Over: ' } as const;

function postOf(
  state: MessageState,
  { event, account, packageId, text, since, details }: NotifiedIncident,
): Post {
  return { event, state, account, package_id: packageId, text: BEFORE[state] + text, since, details };
}

function stormPost(state: MessageState, group: readonly NotifiedIncident[]): Post {
  const [first] = group;
  if (!first) throw new RangeError('no storm without incidents');
  const { event, account } = first;
  const words = STORM_WORDS[event][state === 'over' ? 'over' : 'begun'];
  const packages = group.map(({ packageId, since }) => ({ package_id: packageId, since }));
  const ids = listed(group.flatMap(({ packageId }) => packageId ?? []));
  const example = event === 'failed' && state !== 'over' ? `; ${first.text}` : '';
  return {
    event,
    state,
    account,
    package_id: null,
    text: `${BEFORE[state]}${group.length} packages of ${account ?? ''} ${words} (${ids})${example}`,
    since: packages.map(({ since }) => since).sort()[0] ?? first.since,
    details: { count: group.length, packages: packages.slice(0, MOST_LISTED) },
  };
}

interface StateWords {
  begun: string;
  over: string;
}

const STORM_WORDS: Record<IncidentEvent, StateWords> = {
  failed: { begun: 'failed when they were last walked', over: 'fail no longer' },
  stale: { begun: 'are stale', over: 'are fresh again' },
  held_back: { begun: 'have removals that are held back', over: 'have no removals held back any more' },
  restricted: { begun: 'are paused', over: 'are paused no longer' },
  discrepancy: { begun: 'differ', over: 'differ no longer' },
  gap: { begun: 'have gaps', over: 'have no gaps any more' },
};

/** What is said of an incident that is over. */
export function resolvedText(config: AlertInputs['config'], incident: OpenIncident): string {
  const { event, account, package_id: packageId } = incident;
  const ofAccount = `storage of ${account ?? ''}`;
  const name = packageId === null ? ofAccount : nameIn(config, account, packageId);
  if (!isConfigured(config, account, packageId)) return `${name} is no longer in the config`;
  return {
    failed: account === null ? 'runs over everything fail no longer' : `${name} fails no longer`,
    stale: `${name} is fresh again`,
    restricted: `account ${account ?? ''} may be asked at its full rate again`,
    discrepancy: `${ofAccount}: no booked day differs any more`,
    held_back: `${name}: no removal is held back any more`,
    gap: `${ofAccount}: no day is waited for any more`,
  }[event];
}

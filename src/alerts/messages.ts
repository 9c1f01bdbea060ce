/** The messages about incidents: one for each, or one for more than ten packages of an account. Pure. */
import type { Config } from '../config/config.ts';
import { findKind } from '../health/catalogue.ts';
import { groupPackages, groupText } from '../health/items.ts';
import { findPlace, PACKAGES_PLACE, toUrl } from '../health/place.ts';
import type { Kind, Severity } from '../health/problem.ts';
import { listFirst } from '../health/text.ts';
import type { IncidentEvent } from '../health/incident-events.ts';
import type { MessageState, WaitingIncident } from './incident-rows.ts';

/** The body of a message: docs/alerts.md. */
export interface Post {
  event: IncidentEvent;
  state: MessageState;
  severity: Severity;
  account: string | null;
  package_id: number | null;
  text: string;
  /** `YYYY-MM-DD HH:MM:SS` UTC. */
  since: string;
  details: Readonly<Record<string, unknown>>;
  /** The page that shows more; null without `server.url`. */
  url: string | null;
}

/** The most packages that a grouped message lists. */
const MAX_LISTED = 1_000;
const PREFIXES = { begun: '', reminder: 'Still: ', over: 'Over: ' } as const;

/** The next message: the incident of these events that waits longest, and those that share its message. */
export function chooseNext(
  waiting: readonly WaitingIncident[],
  events: readonly IncidentEvent[],
): readonly WaitingIncident[] {
  const reported = waiting.filter(({ kind }) => events.some((event) => event === kind));
  const groups = groupPackages(reported, ({ kind, state, ...row }) => ({ ...row, kind: `${kind} ${state}` }));
  return groups.find(([first]) => first === reported[0]) ?? [];
}

/**
 * The message about one incident, or about several that `chooseNext` put together. An incident without an
 * account gets that of the config, if the config has only one.
 */
export function buildPost(
  incidents: readonly WaitingIncident[],
  config: Pick<Config, 'accounts' | 'server'>,
): Post {
  const [first] = incidents;
  const kind = first && findKind(first.kind);
  if (!kind) throw new Error('an incident of an unknown kind');
  const [only, ...accounts] = config.accounts;
  const account = first.account ?? (accounts.length === 0 ? (only?.name ?? null) : null);
  const { state } = first;
  const place = incidents.length > 1 ? PACKAGES_PLACE : findPlace(kind, first);
  const url = toUrl(config, place);
  const base = { event: kind.kind, state, severity: kind.severity, account, url };
  if (incidents.length > 1) return { ...base, ...describeGroup(kind, incidents, state) };
  const advice = state === 'over' || first.advice === null ? '' : `; ${first.advice}`;
  return {
    ...base,
    package_id: first.packageId,
    text: `${PREFIXES[state]}${first.text}${advice}`,
    since: first.since,
    details: JSON.parse(first.details) as Post['details'],
  };
}

function describeGroup({ grouped }: Kind, incidents: readonly WaitingIncident[], state: MessageState) {
  const sentence = groupText(incidents[0]?.account ?? null, incidents.length, grouped ?? '');
  const names = listFirst(incidents.flatMap(({ packageId }) => packageId ?? []));
  const packages = incidents.map(({ packageId, since }) => ({ package_id: packageId, since }));
  return {
    package_id: null,
    text: `${PREFIXES[state]}${sentence} (${names})`,
    since: packages.map(({ since }) => since).sort()[0] ?? '',
    details: { count: incidents.length, packages: packages.slice(0, MAX_LISTED) },
  };
}

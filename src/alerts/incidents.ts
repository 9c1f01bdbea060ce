/** Which problems are incidents, and how an incident reads when it is over. Pure. */
import type { Config } from '../config/config.ts';
import type { IncidentEvent } from '../lib/incident-events.ts';
import { formatPackage } from '../health/package-problems.ts';
import type { Problem, ProblemKind } from '../health/problem-kinds.ts';
import type { OpenIncident } from './outbox.ts';

/** A problem as alerts report it. */
export interface ActiveIncident {
  event: IncidentEvent;
  account: string | null;
  packageId: number | null;
  /** One sentence. */
  text: string;
  /** The `details` of the message: docs/alerts.md. */
  details: Readonly<Record<string, unknown>>;
  /** As the warehouse writes times. */
  since: string;
  /** False: an open incident stays open, and none begins. */
  canOpen: boolean;
}

/** Every kind of problem that `status` shows can be alerted. */
const EVENTS: Record<ProblemKind, IncidentEvent> = {
  restricted: 'restricted',
  parked: 'parked',
  run_failed: 'failed',
  scoped_run_failed: 'failed',
  failed: 'failed',
  never_read: 'stale',
  stale: 'stale',
  partial: 'partial',
  held_back: 'held_back',
  unordered: 'unordered',
  gap: 'gap',
  time_zone: 'time_zone',
  unconfirmed: 'unconfirmed',
  discrepancy: 'discrepancy',
  quarantine: 'quarantine',
  drift: 'drift',
  unpublished: 'unpublished',
  backup: 'backup',
  target_failed: 'target',
  target_refused: 'target',
  target_differs: 'target',
  config_refused: 'config',
  clock: 'clock',
};

/** The problems that alerts report. A stream that was never read opens no incident before it is overdue (`isFirstReadOverdue`). */
export function toIncidents(
  problems: readonly Problem[],
  { noticedAt, isFirstReadOverdue }: { noticedAt: string; isFirstReadOverdue: boolean },
): ActiveIncident[] {
  const found = problems.map(
    ({ kind, scope, since, message: shown, alertMessage, advice, fields: details, isFading }) => {
      const event = EVENTS[kind];
      const message = alertMessage ?? shown;
      const accept = kind === 'held_back' ? advice.find(({ command }) => command !== null) : undefined;
      return {
        ...scope,
        event,
        text: accept ? `${message}; ${accept.text ?? ''}: ${accept.command ?? ''}` : message,
        details,
        since: since ?? noticedAt,
        canOpen: !isFading && (kind !== 'never_read' || isFirstReadOverdue),
      };
    },
  );
  return mergeSameScope(found);
}

const MAX_LISTED = 100;

/** One incident for each event and scope: several fields may drift, and several streams have records in quarantine. */
function mergeSameScope(found: readonly ActiveIncident[]): ActiveIncident[] {
  const groups = new Map<string, ActiveIncident[]>();
  for (const each of found) {
    const key = JSON.stringify([each.event, each.account, each.packageId]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (!first || others.length === 0) return first ?? [];
    const all = [first, ...others];
    return {
      ...first,
      text: `${first.text}; and ${others.length} more like this`,
      details: all.map(({ details }) => details).reduce(mergeDetails),
      since: all.map(({ since }) => since).sort()[0] ?? first.since,
      canOpen: all.some(({ canOpen }) => canOpen),
    };
  });
}

/** Numbers are added up, lists joined; anything else is that of the first. */
function mergeDetails(one: ActiveIncident['details'], other: ActiveIncident['details']) {
  const merged = Object.entries(one).map(([name, value]) => {
    const more = other[name];
    if (typeof value === 'number' && typeof more === 'number') return [name, value + more];
    if (Array.isArray(value) && Array.isArray(more))
      return [name, [...(value as unknown[]), ...(more as unknown[])].slice(0, MAX_LISTED)];
    return [name, value];
  });
  return Object.fromEntries(merged) as ActiveIncident['details'];
}

/** The text of an incident that is over. */
export function formatResolved({ accounts }: Pick<Config, 'accounts'>, incident: OpenIncident): string {
  const { event, account, packageId } = incident;
  const configured = accounts.find(({ name }) => name === account);
  const found = configured?.packages.find(({ id }) => id === packageId);
  const storage = `storage of ${account ?? ''}`;
  const name = packageId === null ? storage : formatPackage(account ?? '', packageId, found?.name ?? null);
  const isConfigured = account === null || (packageId === null ? configured : found) !== undefined;
  if (!isConfigured) return `${name} is no longer in the config`;
  const texts: Record<IncidentEvent, string> = {
    failed: account === null ? 'runs no longer fail' : `${name} no longer fails`,
    stale: `${name} is fresh again`,
    restricted: `account ${account ?? ''} has its full rate again`,
    discrepancy: `${storage}: no booked day differs any more`,
    held_back: `${name}: no removal is held back any more`,
    gap: `${storage}: no day is missing any more`,
    quarantine: `no record of ${account ?? ''} is in quarantine any more`,
    drift: `responses of ${account ?? ''} no longer drift, or the drift was acknowledged`,
    unpublished: 'the published file shows the last changes again',
    backup: 'a backup was made again',
    target:
      account === null
        ? 'the targets are in order again'
        : `account ${account} is in order again in every target`,
    config: 'the worker has a valid config again',
    clock: 'the clocks agree again',
    parked: 'runs are no longer parked',
    partial: `${name}: its last full walk is no longer incomplete`,
    unordered: `${name} is listed in order of ids again`,
    time_zone: `${storage}: most booked days no longer differ`,
    unconfirmed: `${storage}: no day waits for a second reading any more`,
  };
  return texts[event];
}

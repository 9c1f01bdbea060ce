/** Which problems are incidents, and how an incident reads when it is over. Pure. */
import type { Config } from '../config/config.ts';
import type { IncidentEvent } from '../database/schema/incidents.ts';
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

const EVENTS: Partial<Record<ProblemKind, IncidentEvent>> = {
  restricted: 'restricted',
  run_failed: 'failed',
  failed: 'failed',
  never_read: 'stale',
  stale: 'stale',
  held_back: 'held_back',
  gap: 'gap',
  discrepancy: 'discrepancy',
};

/** The problems that alerts report. A stream that was never read opens no incident before it is overdue (`isFirstReadOverdue`). */
export function toIncidents(
  problems: readonly Problem[],
  { watchedSince, isFirstReadOverdue }: { watchedSince: string; isFirstReadOverdue: boolean },
): ActiveIncident[] {
  return problems.flatMap(({ kind, scope, since, message, advice, fields: details, isFading }) => {
    const event = EVENTS[kind];
    if (!event) return [];
    const accept = kind === 'held_back' ? advice.find(({ command }) => command !== null) : undefined;
    return {
      ...scope,
      event,
      text: accept ? `${message}; ${accept.text ?? ''}: ${accept.command ?? ''}` : message,
      details,
      since: since ?? watchedSince,
      canOpen: !isFading && (kind !== 'never_read' || isFirstReadOverdue),
    };
  });
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
  return {
    failed: account === null ? 'runs over everything no longer fail' : `${name} no longer fails`,
    stale: `${name} is fresh again`,
    restricted: `account ${account ?? ''} has its full rate again`,
    discrepancy: `${storage}: no booked day differs any more`,
    held_back: `${name}: no removal is held back any more`,
    gap: `${storage}: no day is missing any more`,
  }[event];
}

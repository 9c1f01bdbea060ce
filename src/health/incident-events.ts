/** The kinds of problems, as `notify.events` and alerts name them: docs/alerts.md. */
export const INCIDENT_EVENTS = [
  'failed',
  'stale',
  'restricted',
  'discrepancy',
  'held_back',
  'gap',
  'quarantine',
  'drift',
  'unpublished',
  'backup',
  'target',
  'config',
  'clock',
  'parked',
  'partial',
  'unordered',
  'shrunk',
  'rewritten',
] as const;
export type IncidentEvent = (typeof INCIDENT_EVENTS)[number];

/** The kinds of problems that alerts report: docs/alerts.md. */
export const INCIDENT_EVENTS = [
  ...(['failed', 'stale', 'restricted', 'discrepancy', 'held_back', 'gap'] as const),
  ...(['quarantine', 'drift', 'unpublished', 'backup', 'target', 'config', 'clock'] as const),
  ...(['parked', 'partial', 'unordered', 'time_zone', 'unconfirmed'] as const),
] as const;
export type IncidentEvent = (typeof INCIDENT_EVENTS)[number];

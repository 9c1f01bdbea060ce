/** The kinds of problems, as `notify.events` and alerts name them: docs/alerts.md. */
export const INCIDENT_EVENTS = [
  ...(['failed', 'stale', 'restricted', 'discrepancy', 'held_back', 'gap'] as const),
  ...(['quarantine', 'drift', 'unpublished', 'backup', 'target', 'config', 'clock'] as const),
  ...(['parked', 'partial', 'unordered', 'shrunk', 'rewritten'] as const),
] as const;
export type IncidentEvent = (typeof INCIDENT_EVENTS)[number];
